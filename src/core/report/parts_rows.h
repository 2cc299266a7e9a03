/* parts_rows: the fields of a table that is written in parts (field_rows.h). */
F(file_parts, "in parts", PLAIN, "")
F(halo_share, "points in halos", PERCENT, "")
F(parts_there, "parts that were there", PLAIN, "")
F(peak_bytes, "peak memory", BYTES, "")
F(slab_axis, "cut along dimension", IDENTITY, "")
F(slab_read_bytes, "points read", BYTES, "")
F(slab_written_bytes, "points written beside it", BYTES, "")
F(slabs, "in slabs", PLAIN, "")
