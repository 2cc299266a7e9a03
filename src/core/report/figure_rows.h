/* figure_rows: the table of figures that several engines report: P defines eb_figure_FIGURE (core/engine/figure.h) and
 * a field (field_rows.h). The table is separate from the other fields because CUDA files include figure.h, and a new
 * field should not recompile them.
 */
P(convert, convert_s, "conversion", SECONDS, PART, "conversion")
P(coordinate, coordinate_bytes, "a coordinate takes", BYTES, FACT, "a coordinate takes")
P(download, download_s, "download", SECONDS, PART, "download")
P(energy, energy_j, "energy", JOULES, OWN, "energy")
P(executed_flops, executed_flops, "operations executed", PLAIN, OWN, "executed rate")
P(fp16_shift, fp16_shift, "FP16 moves points by up to", PLAIN, FACT, "FP16 shift")
P(fp16_share, fp16_shift_of_eps, "which is of ε", PERCENT, FACT, "FP16 shift")
P(kernel, kernel_s, "kernels", SECONDS, PART, "kernels")
P(norms, norms_s, "norms", SECONDS, PART, "norms")
P(peer, peer_bytes, "sent between GPUs", BYTES, FACT, "")
P(sent, sent_bytes, "sent between ranks", BYTES, FACT, "")
P(setup, setup_s, "setting up, closing", SECONDS, PART, "setting up")
P(sm_clock, sm_clock_hz, "SM clock", HERTZ, OWN, "SM clock")
P(table, table_s, "neighbour table", SECONDS, PART, "neighbour table")
P(throttle, throttle_reasons, "clock held down by", PLAIN, OWN, "clock held down by")
P(total, total_s, "end to end", SECONDS, OWN, "end to end")
P(truth_error, truth_error, "own error of a distance, relative", PLAIN, OWN, "undecided")
P(undecided_found, undecided_found, "pairs found that near to ε", PLAIN, OWN, "undecided")
P(undecided_missed, undecided_missed, "pairs left out that near to ε", PLAIN, OWN, "undecided")
P(upload, upload_s, "upload", SECONDS, PART, "upload")

#undef P
