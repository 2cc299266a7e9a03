"""Reads a Parquet, Feather or Arrow file for arrow.c, which talks to this script over pipes; descriptor 3 is the file.

First the script prints the columns, one on a line: the kind and the name. The kind is n for numbers, a width for lists
of that many floats, WIDTH_TYPE for lists of integers, or else the type. arrow.c may ask how many values of columns are
missing. Then it sends its choice of columns, and the script prints the shape of the
points. If asked to read, it then writes the values, little-endian, column by column (lists: row by row), each row's
label as int32, and the label names, each with a NUL behind it.
"""
import sys

if sys.path and sys.path[0] == "":
    del sys.path[0]  # import no modules from the working directory


def say(*words):
    line = " ".join(str(word) for word in words)
    sys.stdout.buffer.write(line.replace("\n", "?").encode("utf-8", "replace") + b"\n")
    sys.stdout.buffer.flush()


def refuse(code, sentence):
    say("no", code, sentence)
    sys.exit(0)


try:
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.types as types
except Exception as error:  # a broken installation raises other errors than ImportError
    refuse("library", error)


def is_number(kind):
    return types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind) or types.is_decimal(kind)


def is_list(kind):
    lists = types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind)
    return lists and is_number(kind.value_type)


def read_table(kind):
    with pa.OSFile("/proc/self/fd/3") as source:
        if kind == "parquet":
            import pyarrow.parquet

            return pyarrow.parquet.read_table(source)
        try:
            return pa.ipc.open_file(source).read_all()
        except pa.ArrowInvalid:
            source.seek(0)
        try:
            return pa.ipc.open_stream(source).read_all()
        except pa.ArrowInvalid:
            source.seek(0)
        import pyarrow.feather

        return pyarrow.feather.read_table(source)


def width_of(column):
    kind = column.type
    if types.is_fixed_size_list(kind):
        return kind.list_size
    for value in column:
        if value.is_valid:
            return len(value)
    return 0


def kind_of(column):
    if is_number(column.type):
        return "n"
    if not is_list(column.type):
        text = types.is_string(column.type) or types.is_large_string(column.type)
        return "text" if text else str(column.type).replace(" ", "")
    of = column.type.value_type
    return width_of(column) if types.is_floating(of) else f"{width_of(column)}_{of}".replace(" ", "")


def is_gap(column):
    """A mask of the values that are null or NaN. A list is a gap if it is null or one of its values is."""
    mask = pc.is_null(column)
    if is_list(column.type):
        inside = is_gap(pc.list_flatten(column))
        if pc.any(inside).as_py():
            rows = parents_of(column).filter(inside)
            mask = pc.or_(mask, pc.is_in(pa.array(range(len(column))), value_set=rows.combine_chunks()))
        return mask
    if types.is_float16(column.type):
        column = column.cast(pa.float32())
    if types.is_floating(column.type):
        mask = pc.or_(mask, pc.fill_null(pc.is_nan(column), True))
    return mask


def parents_of(column):
    """The row of each value of a column of lists."""
    pieces, before = [], 0
    for chunk in column.chunks:
        pieces.append(pc.add(pc.list_parent_indices(chunk).cast(pa.int64()), before))
        before += len(chunk)
    return pa.chunked_array(pieces, pa.int64())


def first_true(mask):
    return pc.index(mask, True).as_py()


def settle_gaps(table, chosen, policy):
    """Returns the table without gaps, and the numbers of rows left out and of values filled in."""
    gaps = {k: is_gap(table.column(k)) for k in chosen}
    count = sum(pc.sum(mask).as_py() or 0 for mask in gaps.values())
    if count == 0:
        return table, 0, 0
    if policy == "refuse":
        row, k = min((first_true(mask), k) for k, mask in gaps.items() if first_true(mask) >= 0)
        code = "list-gap" if is_list(table.column(k).type) else "gap"
        refuse(code, f'row {row}, column {k} "{table.column_names[k]}": expected a number, found none')
    if policy == "drop":
        kept = None
        for mask in gaps.values():
            kept = pc.invert(mask) if kept is None else pc.and_(kept, pc.invert(mask))
        rest = table.filter(kept)
        if rest.num_rows == 0:
            refuse("value", f"every row has a missing value, {table.num_rows} rows; missing=drop leaves none")
        return rest, table.num_rows - rest.num_rows, 0
    for k, mask in gaps.items():
        if is_list(table.column(k).type):
            refuse("list-gap", f"column {k}: missing=mean is for columns of numbers")
        values = table.column(k).cast(pa.float64())
        mean = pc.mean(values.filter(pc.invert(mask))).as_py()
        if mean is None:
            refuse("value", f"column {k} has no value in any row; columns= can leave it out")
        table = table.set_column(k, table.column_names[k], pc.if_else(mask, pa.scalar(mean), values))
    return table, 0, count


def bytes_of(column, kind):
    """The values of a column as contiguous little-endian bytes."""
    array = column.cast(kind).combine_chunks()
    if isinstance(array, pa.ChunkedArray):
        array = pa.concat_arrays(array.chunks) if array.num_chunks else pa.array([], kind)
    size = kind.bit_width // 8
    return memoryview(array.buffers()[1])[array.offset * size:(array.offset + len(array)) * size]


def check_lengths(table, k):
    """Refuses a column of lists that differ in length."""
    column = table.column(k)
    width = width_of(column)
    row = first_true(pc.fill_null(pc.not_equal(pc.list_value_length(column), width), False))
    if row >= 0:
        refuse("format", f'row {row}, column {k} "{table.column_names[k]}": expected a list of {width} as in the rows '
               f"before it, found {len(column[row])}")


def labels_of(column):
    texts = pc.fill_null(column.cast(pa.string()), "")
    encoded = texts.combine_chunks().dictionary_encode()
    chunks = encoded.chunks if isinstance(encoded, pa.ChunkedArray) else [encoded]
    encoded = pa.chunked_array(chunks).unify_dictionaries()
    names = encoded.chunk(0).dictionary.to_pylist() if encoded.num_chunks else []
    numbers = b"".join(bytes(bytes_of(pa.chunked_array([c.indices]), pa.int32())) for c in encoded.chunks)
    return numbers + b"".join(name.replace("\0", "?").encode("utf-8", "replace") + b"\0" for name in names)


def width_in_bytes(columns):
    if all(types.is_float16(c.type) for c in columns):
        return 2
    return 4 if all(types.is_float32(c.type) or types.is_float16(c.type) for c in columns) else 8


def answer(table, mode, label, chosen, policy):
    is_lists = is_list(table.column(chosen[0]).type)
    if is_lists:
        check_lengths(table, chosen[0])
    table, left_out, filled = settle_gaps(table, chosen, policy)
    columns = [table.column(k) for k in chosen]
    d = width_of(columns[0]) if is_lists else len(columns)
    columns = [pc.list_flatten(column) if is_lists else column for column in columns]
    width = width_in_bytes(columns)
    kind = {2: pa.float16(), 4: pa.float32(), 8: pa.float64()}[width]
    data = [bytes_of(column, kind) for column in columns]
    more = labels_of(table.column(label)) if label >= 0 else b""
    say("points", table.num_rows, d, width, left_out, filled, int(not is_lists), len(more))
    if mode == "read":
        for values in data + [more]:
            sys.stdout.buffer.write(values)
        sys.stdout.buffer.flush()


def main():
    try:
        table = read_table(sys.argv[1])
        say("columns", table.num_columns)
        for name, column in zip(table.column_names, table.columns):
            say(kind_of(column), name)
        words = sys.stdin.readline().split()
        if words and words[0] == "gaps":
            say("gaps", sum(pc.sum(is_gap(table.column(int(k)))).as_py() or 0 for k in words[3].split(",")))
            words = sys.stdin.readline().split()
        if words:
            answer(table, words[0], int(words[1]), [int(k) for k in words[3].split(",")], words[2])
    except MemoryError:
        refuse("memory", "pyarrow has too little memory for it")
    except (pa.ArrowException, OSError, ValueError, TypeError, KeyError) as error:
        refuse("format", f"pyarrow says: {str(error)[:300]}")


main()
