/* fleet_rows: what the model of several GPUs and hosts (fleet.h) takes for granted beside the GPUs' own limits
 * (machine_rows.h): RATE(name, value, unit, what it is, where it is from). Correct a value here once it was measured.
 *
 * The H200's host had 16 cores; figures without a date are in tests/bench/gpu.md, 2026-11-22 and 25.
 */
RATE(start_s, 0.9e-3, "s", "opening and closing an engine, norms", "an H200: what is left of 11 runs end to end")
RATE(choice_s, 1.6e-3, "s", "choosing by the points, with two engines' memory",
     "an H200: exact less FASTED, 200,000 × 128: 2; on bytes 0.5 to 0.8")
RATE(upload_s, 0.7e-3, "s", "beginning an upload", "an H200: 50 MB at 26 to 35 GB/s")
RATE(upload_share, 0.85, "of the link", "what uploads reach of the link from the host",
     "H200s: 0.26 to 3.3 GB at 35 to 52 of 55 GB/s, the beginning included")
RATE(packed_bytes_s, 68e9, "bytes/s", "what a host's threads copy to pinned memory for several GPUs",
     "H200s: 66 by two, 57 to 71 by four")
RATE(sampled_s, 0.9e-6, "s a dimension", "choosing by the points, beyond the beginning",
     "an H200, 2026-11-28: choice of 1.2 to 1.4 ms at 200,000 × 1024, 3.5 to 4.2 at × 4096")
RATE(arriving_s, 1.2e-3, "s", "the launches of kernels that begin while points arrive",
     "an H200, 2026-11-28: 0.5 to 1 ms of FASTED, 1.5 to 2.6 of exact")
RATE(decide_8_s, 1.5e-12, "s a coordinate of a pair", "a second look and FP64's decisions after a filter of 8 bits",
     "an H200, 2026-11-28: 2.9 ms at 500,000 × 128, 10.8 at 200,000 × 1024, S = 64, counted")
RATE(decide_s, 0.7e-12, "s a coordinate of a pair", "FP64's decisions after a filter of 16 bits",
     "H200s: 22 ms at 200,000 × 4096, 6.5 at 100,000 × 4096, S = 64, counted")
RATE(distance_s, 1.6e-12, "s a coordinate of a pair", "FP64's distances of pairs that were sure",
     "H200s: 43 ms more with a table, the same points; after 8 bits 3.8 and 7.8 more than the line above")
RATE(rows_s, 0.5e-3, "s", "beginning rows on a GPU", "an H200: 0.4 ms before the first of 3.5 M entries")
RATE(degree_s, 20e-12, "s an entry", "counting and placing entries on a GPU", "an H200: 1.6 ms of 28 M, 9.7 of 512 M")
RATE(fill_s, 100e-12, "s an entry", "writing and sorting rows on a GPU", "an H200: tables without distances, 36 GB/s")
RATE(download_share, 0.8, "of the link", "what tables reach of the link to the host", "an H200: 42 to 45 of 55 GB/s")
RATE(fresh_bytes_s, 70e9, "bytes/s", "memory that a host makes for tables", "an H200's host: 67 to 71 by 16 threads")
RATE(peer_share, 0.8, "of the link", "what exchanged pairs reach of the link between GPUs", "a guess")
RATE(host_entry_s, 33e-9, "s an entry", "a thread's time to make rows of pairs",
     "2 cores: 16.6 to 17.9 ns an entry by both")
RATE(host_threads, 16, "threads", "cores of a host for each of its GPUs", "the hosts of the H200s seen")
RATE(link_bits_s, 400e9, "bits/s", "link between hosts, unless given", "InfiniBand NDR, one port")
RATE(disk_bytes_s, 2e9, "bytes/s", "each host's disk, unless given", "an NVMe disk kept busy, a guess")
