#include "shell/commands/sample_report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "shell/conclude/words.h"

eb_code eb_read_sample(const eb_call *call, eb_compare_request *request, eb_status *status)
{
    static const eb_argument number = {.name = "sample", .type = EB_ARG_INTEGER, .min = 1, .max = EB_MAX_POINTS};
    const char *text = eb_call_text(call, "sample");
    char digits[48];
    eb_argument_value value = {.text = digits};
    request->may_sample = text == NULL;
    request->sample = text ? SIZE_MAX : 0;
    if (!text || strcmp(text, "all") == 0)
        return EB_OK;
    (void)snprintf(digits, sizeof digits, "%s", text);
    if (eb_argument_read(&number, &value, NULL))
        return eb_fail(status, EB_USAGE, "sample expects all, or a whole number from 1; found \"%s\"", digits);
    request->sample = (size_t)value.integer;
    return EB_OK;
}

const char *eb_sample_words(const eb_comparison *c, char buffer[EB_SAMPLE_WORDS])
{
    char all[EB_WORD];
    buffer[0] = '\0';
    if (c->rows.count == 0)
        return buffer;
    (void)eb_format_counted(all, sizeof all, c->run[0].others, "point", "points");
    (void)snprintf(buffer, EB_SAMPLE_WORDS, ", %s of %s", EB_BRIEF(eb_uint(c->rows.count), EB_PLAIN), all);
    return buffer;
}

void eb_report_sample(eb_report *report, const eb_comparison *c)
{
    char words[EB_SAMPLE_WORDS];
    if (c->rows.count == 0)
        return;
    eb_report_field(report, EB_F(sample), eb_uint(c->rows.count));
    eb_report_note(
        report,
        "a sample is compared%s: each drawn point with all points; pairs, times and S are those of the drawn "
        "points, overlap and mean error have 95 %% intervals",
        eb_sample_words(c, words));
    if (!isnan(c->whole_s))
        eb_report_note(report, "all points would take about %s on this CPU; `accuracy sample=all` compares them",
                       EB_TIME(c->whole_s));
    for (size_t k = 0; k < c->count; k++)
        if (c->run[k].setup.run->nearest)
            eb_report_note(report,
                           "%s: a drawn point is the query in all its pairs; without a sample, the point with the "
                           "smaller number is",
                           c->run[k].setup.spec);
}
