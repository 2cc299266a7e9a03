#!/usr/bin/env python3
"""usage: page.py RESULTS.json FOLDER

The page of `make bench` from what tests/bench/beside.py measured: FOLDER/index.html, its picture bench.svg, its table bench.md.
The page loads nothing and is XML. A row has the median, the span of all trials, the ratio to the first row of its case, and the pairs
(neighbours) by which its answer differs from the exact one.
"""
import html
import json
import math
import os
import statistics
import sys

TITLE = "epsbench beside other programs"
WRONG = ("Wrong: pairs (of knn: neighbours) that an answer has and the exact one lacks. Missing: the other way round. Each pair counts once.")
BUSY = 0.25  # processes of others for each core, from which times scatter
# The picture: columns end at these places, texts of at most LETTER a character.
WIDTH, NAMES, LEFT, RIGHT, SECONDS, RATIO, MANY_WRONG, MANY_MISSING = 1040, 24, 320, 640, 736, 812, 908, 1016
LINE, HEAD, LETTER = 20, 44, 7.7
OURS, OTHERS, LIMIT, GREY, ALARM = "#0072B2", "#D55E00", "#000000", "#666666", "#B00020"


def escaped(text):
    return html.escape(str(text), quote=True)


def time_of(seconds):
    factor, unit = (1, "s") if seconds >= 1 else (1e3, "ms") if seconds >= 1e-3 else (1e6, "µs")
    digits = max(0, 2 - math.floor(math.log10(seconds * factor)))
    return f"{seconds * factor:.{digits}f} {unit}"


def names_of(results):
    return {peer["peer"]: peer for peer in results["peers"]}


def cells(results, case, row):
    """Text of time, ratio, wrong and missing of a row; `why` instead if there is no time."""
    ours = statistics.median(case["rows"][0]["seconds"])
    if row.get("seconds"):
        median = statistics.median(row["seconds"])
        ratio = "1" if row is case["rows"][0] else f"{median / ours:.3g}×"
        counts = [f"{row[key]:,}" if key in row else "0" if row["program"] == "exact" else "n/a" for key in ("wrong", "missing")]
        return {"seconds": time_of(median), "ratio": ratio, "wrong": counts[0], "missing": counts[1]}
    peer = names_of(results).get(row.get("peer"), {})
    if "cut_s" in row:
        return {"why": f"cut: no answer within {row['cut_s']:g} s"}
    if "why" in row:
        return {"why": f"n/a: {row['why']}"}
    return {"why": f"not installed: {peer.get('install', row['program'])}" if not peer.get("version") else "n/a"}


def footnotes(results):
    """Notes on programs, in order, for their numbers."""
    return list(dict.fromkeys(row["note"] for case in results["cases"] for row in case["rows"] if row.get("note")))


def program(results, row):
    note = row.get("note")
    return row["program"] + (f" ({footnotes(results).index(note) + 1})" if note else "")


def facts(results):
    """What the page says of the machine and the measurement: sentences."""
    before, after = results["load"]
    said = [f"{results['device']}, {results['system']}, {results['threads']} threads on {results['cores']} cores.",
            f"{results['date']}, commit {results['commit']}, `{results['command']}`.",
            ("One trial each" if results["rounds"] == 1 else f"Medians of {results['rounds']} trials in turn") +
            ", after a warm-up each; what takes long has no warm-up and one trial.",
            f"Load of the machine {before:.1f} before, {after:.1f} after."]
    if before > BUSY * results["cores"]:
        said.append("Other programs were running: these times scatter, and are no figures to quote.")
    return said


def peers(results):
    found = [f"{p['peer']} {p['version']}" for p in results["peers"] if p["version"]]
    lines = ["Found: " + (", ".join(found) if found else "none") + "."]
    missing = [f"{p['peer']} is not installed: {p['install']}." for p in results["peers"] if not p["version"]]
    return lines + missing + ["The variable EPSBENCH_PEERS names another Python to look in."] * bool(missing)


def limit(case):
    return f"limit {time_of(case['limit_s'])}: {case['limit']}" if case["limit_s"] else f"no limit: {case['limit']}"


# ---- the table ----


def markdown(results):
    lines = [f"# {TITLE}", "", *(f"{fact}  " for fact in facts(results)), "", *(f"- {peer}" for peer in peers(results)), "",
             "| case | program | time | × ours | wrong | missing |", "|---|---|---:|---:|---:|---:|"]
    for case in results["cases"]:
        for row in case["rows"]:
            told = {key: text.replace("|", "\\|") for key, text in cells(results, case, row).items()}
            start = f"| {case['name'] if row is case['rows'][0] else ''} | {program(results, row)} |"
            lines.append(f"{start} {told['why']} | | | |" if "why" in told else
                         f"{start} {told['seconds']} | {told['ratio']} | {told['wrong']} | {told['missing']} |")
        lines.append(f"| | {limit(case)} | | | | |")
    lines += ["", WRONG, "", *(f"({k + 1}) {note}" for k, note in enumerate(footnotes(results)))]
    return "\n".join(lines).rstrip() + "\n"


# ---- the picture ----


class Picture:
    def __init__(self, results):
        self.results, self.parts, self.y = results, [], 0
        times = [s for case in results["cases"] for row in case["rows"] for s in row.get("seconds", [])]
        times += [case["limit_s"] for case in results["cases"] if case["limit_s"]]
        self.low, self.high = math.floor(math.log10(min(times))), math.ceil(math.log10(max(times) * 1.05))

    def x(self, seconds):
        return LEFT + (RIGHT - LEFT) * (math.log10(seconds) - self.low) / (self.high - self.low)

    def text(self, x, y, text, anchor="start", size=12, colour="#000000", bold=False):
        self.parts.append(f'<text x="{x:g}" y="{y:g}" font-size="{size}" text-anchor="{anchor}" fill="{colour}"'
                          f'{" font-weight=" + chr(34) + "bold" + chr(34) if bold else ""}>{escaped(text)}</text>')

    def line(self, x0, y0, x1, y1, colour, width=1.0):
        self.parts.append(f'<line x1="{x0:.1f}" y1="{y0:.1f}" x2="{x1:.1f}" y2="{y1:.1f}" stroke="{colour}" stroke-width="{width:g}"/>')

    def head(self):
        self.text(NAMES, 30, TITLE, size=17, bold=True)
        self.y = 36
        for fact in facts(self.results):
            self.y += 17
            self.text(NAMES, self.y, fact.replace("`", ""), colour=GREY)
        self.y += 34
        self.parts.append(f'<circle cx="{NAMES + 6}" cy="{self.y - 4}" r="5" fill="{OURS}"/>')
        self.text(NAMES + 18, self.y, "ours")
        self.parts.append(f'<rect x="{NAMES + 64}" y="{self.y - 8.5}" width="9" height="9" fill="{OTHERS}"/>')
        self.text(NAMES + 80, self.y, "others")
        self.line(NAMES + 140, self.y - 11, NAMES + 140, self.y + 3, LIMIT, 2.5)
        self.text(NAMES + 148, self.y, "limit")
        for x, title in ((SECONDS, "time"), (RATIO, "× ours"), (MANY_WRONG, "wrong"), (MANY_MISSING, "missing")):
            self.text(x, self.y, title, "end", colour=GREY)

    def powers(self):
        return [(power, self.x(10.0**power)) for power in range(self.low, self.high + 1)]

    def axis(self):
        self.y += 20
        for power, x in self.powers():
            unit, factor = ("s", 0) if power >= 0 else ("ms", 3) if power >= -3 else ("µs", 6)
            self.text(x, self.y, f"{10.0**(power + factor):g} {unit}", "middle", 11, GREY)
        self.y += 8

    def sign(self, row, y):
        times, colour = row["seconds"], OURS if row["ours"] else OTHERS
        if min(times) < max(times):
            self.line(self.x(min(times)), y, self.x(max(times)), y, colour, 2)
        x = self.x(statistics.median(times))
        self.parts.append(f'<circle cx="{x:.1f}" cy="{y}" r="5" fill="{colour}"/>' if row["ours"] else
                          f'<rect x="{x - 4.5:.1f}" y="{y - 4.5}" width="9" height="9" fill="{colour}"/>')

    def case(self, case):
        self.text(NAMES, self.y + 16, case["name"], bold=True, size=13)
        self.text(NAMES, self.y + 32, limit(case), size=11, colour=GREY)
        self.y += HEAD
        for row in case["rows"]:
            told, base = cells(self.results, case, row), self.y + 13
            self.text(NAMES + 12, base, program(self.results, row), colour="#000000" if row.get("seconds") else GREY)
            if "why" in told:
                room = int((WIDTH - LEFT - 20) / LETTER)
                why = told["why"] if len(told["why"]) <= room else told["why"][: room - 1] + "…"
                self.text(LEFT, base, why, colour=GREY)
            else:
                for _, x in self.powers():
                    self.line(x, self.y - 1, x, self.y + LINE - 1, "#E3E3E3")
                if case["limit_s"]:
                    self.line(self.x(case["limit_s"]), self.y - 1, self.x(case["limit_s"]), self.y + LINE - 1, LIMIT, 2.5)
                self.sign(row, self.y + 9)
                self.text(SECONDS, base, told["seconds"], "end")
                self.text(RATIO, base, told["ratio"], "end")
                for x, key in ((MANY_WRONG, "wrong"), (MANY_MISSING, "missing")):
                    bad = told[key] not in ("0", "n/a")
                    self.text(x, base, told[key], "end", colour=ALARM if bad else "#000000", bold=bad)
            self.y += LINE
        self.y += 12

    def draw(self):
        self.head()
        self.axis()
        for case in self.results["cases"]:
            self.case(case)
        for said in (*peers(self.results), WRONG, *(f"({k + 1}) {note}" for k, note in enumerate(footnotes(self.results)))):
            self.y += 17
            self.text(NAMES, self.y, said, size=11, colour=GREY)
        height = self.y + 20
        return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" '
                f'font-family="DejaVu Sans, Verdana, sans-serif" role="img"><title>{TITLE}</title>'
                f'<rect width="{WIDTH}" height="{height}" fill="#FFFFFF"/>' + "\n".join(self.parts) + "</svg>\n")


# ---- the page ----

STYLE = """body{font:15px/1.45 sans-serif;max-width:1040px;margin:2em auto;padding:0 1em;color:#000;background:#fff}
svg{max-width:100%;height:auto}table{border-collapse:collapse;font-size:13px;width:100%}
td,th{padding:3px 8px;border-bottom:1px solid #e3e3e3;text-align:left;vertical-align:top}
td.n{text-align:right;white-space:nowrap}tr.first td{border-top:2px solid #999}
.bad{color:#B00020;font-weight:bold}.grey{color:#666}code{font-size:12px}"""


def table(results):
    for case in results["cases"]:
        for row in case["rows"]:
            told, first = cells(results, case, row), row is case["rows"][0]
            yield '<tr class="first">' if first else "<tr>"
            if first:
                yield (f'<td rowspan="{len(case["rows"])}">{escaped(case["name"])}<br/><span class="grey">{escaped(limit(case))}</span>'
                       f'<br/><code>{escaped(case["command"])}</code></td>')
            yield f"<td>{escaped(program(results, row))}</td>"
            if "why" in told:
                yield f'<td colspan="4" class="grey">{escaped(told["why"])}</td>'
            else:
                yield f'<td class="n">{told["seconds"]}</td><td class="n">{told["ratio"]}</td>'
                for key in ("wrong", "missing"):
                    yield f'<td class="n{" bad" if told[key] not in ("0", "n/a") else ""}">{told[key]}</td>'
            yield "</tr>"


def page(results, picture):
    notes = "".join(f"<p>({k + 1}) {escaped(note)}</p>" for k, note in enumerate(footnotes(results)))
    return (f'<!DOCTYPE html>\n<html xmlns="http://www.w3.org/1999/xhtml" lang="en"><head><meta charset="utf-8"/><title>{TITLE}</title>'
            f"<style>{STYLE}</style></head><body>\n{picture}<h2>The same as a table</h2>\n<table><tr><th>case</th><th>program</th><th>time</th>"
            f"<th>× ours</th><th>wrong</th><th>missing</th></tr>\n" + "\n".join(table(results)) +
            f"</table>\n<p>{escaped(WRONG)}</p>{notes}</body></html>\n")


def write(results, folder):
    os.makedirs(folder, exist_ok=True)
    picture = Picture(results).draw()
    for name, text in (("bench.svg", picture), ("index.html", page(results, picture)), ("bench.md", markdown(results))):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as recorded:
        write(json.load(recorded), sys.argv[2])
