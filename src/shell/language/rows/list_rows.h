/* list_rows: the columns of the tables in each command's reports, in the order of the report: ROW(command, whether its
 * report is a list and nothing else, whether there may be other columns, fields). Help, completion and the check of
 * sort=, where= and columns= read these rows; tests/checks/lists compares them with reports.
 */
ROW(info, false, false, C(engine) C(device) C(bytes_needed) C(device_bytes) C(fits))
ROW(files, true, false, C(name) C(format) C(bytes) C(n) C(d) C(dtype) C(why_not))
ROW(formats, true, false, C(extension) C(format) C(about) C(objects) C(columns) C(why_not))
ROW(datasets, true, false, C(line) C(from) C(dataset) C(n_brief) C(d_brief) C(about))
ROW(engines, true, false, C(engine) C(device) C(available) C(is_truth) C(summary) C(why_not))
ROW(devices, true, true, C(device) C(model) C(architecture) C(units) C(memory_bytes) C(clock_hz) C(driver) C(current))
ROW(tune, false, false,
    C(wanted) C(eps) C(selectivity_brief) C(pairs) C(ties) C(sampled_eps) C(bracket_low) C(bracket_high) C(passes)
        C(sampled_low) C(sampled_high) C(basis) C(eps_middle) C(band_low) C(band_high))
ROW(sweep, false, false, C(eps) C(selectivity_brief) C(pairs))
ROW(clusters, false, false,
    C(eps) C(selectivity_brief) C(clusters) C(largest_share) C(core) C(noise) C(noise_share) C(components))
ROW(dbscan, false, false, C(cluster) C(points) C(core) C(share_of_points))
ROW(neighbours, false, false, C(point) C(label) C(distance))
ROW(knn, false, false,
    C(rank) C(point) C(label) C(distance) C(query) C(label_j) C(last) C(last_distance) C(least) C(median) C(most)
        C(part) C(took_s) C(share) C(metric))
ROW(join, false, true,
    C(part) C(median_s) C(min_s) C(share) C(metric) C(spec) C(member) C(device) C(state) C(operations_share)
        C(kernel_s))
ROW(compare, false, true,
    C(engine) C(spec) C(device) C(eps) C(selectivity_brief) C(pairs) C(stored) C(distances) C(kernel_s) C(kernel_min_s)
        C(kernel_cov) C(total_s) C(total_min_s) C(total_cov) C(tflops_derived) C(tflops_executed) C(truth_error)
            C(undecided_found) C(undecided_missed) C(fp16_shift) C(fp16_shift_of_eps) C(trials) C(warmup) C(warmup_s)
                C(state) C(i) C(j) C(dist_true) C(dist_fast) C(margin_true) C(margin_fast) C(in_true) C(in_fast)
                    C(label_i) C(label_j) C(overlap) C(overlap_from) C(overlap_to) C(self_pairs) C(overlap_min)
                        C(error_mean) C(error_max) C(common) C(only_fast) C(only_true) C(wanted) C(evenness) C(member)
                            C(operations_share))
ROW(precision, false, true,
    C(rung) C(coordinate_bytes) C(point_bytes) C(overlap_predicted) C(overlap_low) C(overlap_high) C(overlap)
        C(overlap_from) C(overlap_to) C(overlap_p01) C(overlap_min) C(worst_point) C(pairs_kept) C(pairs_right)
            C(error_of_eps) C(error_p999_of_eps) C(error_most_of_eps) C(error_bias_of_eps) C(inputs_share) C(knn_recall)
                C(kendall_tau) C(complete_eps) C(complete_price) C(rescore) C(rate_model) C(tflops_derived)
                    C(limit_share) C(kernel_s) C(total_s) C(prediction) C(eps) C(wanted_selectivity) C(spec)
                        C(preparation) C(overlap_raw) C(overlap_prepared) C(kept_centre) C(kept_exponent) C(kept_step)
                            C(kept_rotate) C(kept_debias) C(point) C(label) C(found_by_either) C(wrong_neighbours)
                                C(dimension) C(dimension_share))
ROW(plot, false, false, C(name) C(title))
ROW(accuracy, false, false,
    C(i) C(j) C(label_i) C(label_j) C(dist_true) C(dist_fast) C(margin_true) C(margin_fast) C(in_true) C(in_fast)
        C(spec) C(overlap) C(overlap_from) C(overlap_to) C(overlap_min) C(self_pairs) C(error_mean) C(error_std)
            C(error_max) C(difference_mean) C(difference_std) C(difference_max) C(common) C(only_fast) C(only_true))
ROW(explain, false, true,
    C(by) C(squared) C(bits) C(distance) C(threshold) C(verdict) C(part) C(share) C(point) C(moved) C(norm) C(norm_bits)
        C(norm_exact) C(dimension) C(x) C(x_bits) C(y) C(y_bits) C(difference) C(term) C(exact) C(cut) C(first)
            C(largest) C(rounded))
ROW(ablate, false, false,
    C(switch) C(summary) C(also_off) C(also_on) C(switches) C(kernel_median_s) C(kernel_cov) C(tflops_derived)
        C(tflops_executed) C(limit_share) C(slowdown) C(slowdown_low) C(slowdown_high) C(speedup) C(speedup_low)
            C(speedup_high) C(verdict) C(reason) C(published_tflops) C(published_slowdown) C(model_slowdown)
                C(model_speedup) C(pairs) C(results) C(trials) C(state) C(spec) C(preset) C(needs) C(model_s)
                    C(why_they_differ))
ROW(model, false, true,
    C(metric) C(figure_title) C(unit) C(model) C(low) C(high) C(measured) C(access) C(phases) C(wavefronts) C(conflicts)
        C(worst) C(resource) C(block) C(sm) C(level) C(limit_from) C(does) C(instruction_names) C(in_loop) C(in_kernel)
            C(source) C(text) C(made))
ROW(plan, false, false,
    C(shape) C(hosts) C(gpus) C(start_s) C(points_s) C(blocks_s) C(upload_s) C(kernel_s) C(recheck_s) C(pairs_s)
        C(exchange_s) C(place_s) C(rows_s) C(download_s) C(disk_s) C(plan_total_s) C(speedup) C(limited_by)
            C(points_sent_bytes) C(blocks_sent_bytes) C(uploaded_bytes) C(pairs_sent_bytes) C(exchanged_bytes)
                C(downloaded_bytes) C(disk_bytes) C(rank_bytes) C(gpu_bytes) C(gpu_points_bytes) C(gpu_pairs_bytes)
                    C(point_blocks) C(row_ranges) C(shares) C(efficiency))
ROW(grid, false, false,
    C(engine) C(spec) C(device) C(n) C(d) C(eps) C(selectivity_brief) C(pairs) C(kernel_median_s) C(kernel_cov)
        C(total_s) C(tflops_derived) C(tflops_executed) C(limit_share) C(trials) C(state) C(forecast_s) C(run) C(reason)
            C(mark) C(what) C(tflops_greatest))
ROW(recall, false, false,
    C(lut) C(table_bytes) C(nprobe) C(recall) C(recall_low) C(recall_high) C(recall_difference) C(queries_per_s)
        C(pass_s) C(cov) C(speed) C(trials) C(lookup_kernel_s) C(queries_per_lookup) C(lookups) C(blocks_per_sm)
            C(shared_bytes) C(lookup_wavefronts) C(wavefronts_model) C(occupancy))
ROW(index, false, true,
    C(least) C(median) C(most) C(empty) C(imbalance) C(residual) C(lost) C(share) C(lists_s) C(books_s) C(assign_s)
        C(encode_s) C(nlist) C(m))
ROW(counters, false, true, C(metric) C(figure_title) C(unit) C(spec) C(kernel_s) C(total_s) C(pairs))
ROW(lesson, true, true,
    C(part) C(lesson) C(title) C(lesson_level) C(minutes) C(builds_on) C(progress) C(steps) C(answered) C(right)
        C(first) C(about) C(path) C(step) C(question) C(answer) C(took_s) C(line_found) C(finding) C(expected)
            C(first_answer) C(right_at_once) C(tries) C(right_in_the_end) C(hinted) C(answered_at) C(students) C(missed)
                C(missed_share) C(wrong_answer) C(wrong_given) C(student) C(lessons_begun) C(right_first)
                    C(right_newest) C(does) C(instruction_names) C(in_loop) C(in_kernel) C(source) C(text) C(made))
ROW(exercise, false, true, C(exercise) C(asks) C(form) C(done) C(fault) C(line_number) C(compiler_says) C(printed))
ROW(diagnose, false, true, C(metric) C(figure_title) C(unit) C(this_kernel) C(full_kernel) C(ratio) C(source))
ROW(fragment, true, true, C(instruction) C(operand) C(rows) C(columns) C(lanes) C(elements) C(bytes_a_lane))
ROW(numbers, true, true,
    C(format) C(format_bits) C(layout) C(decimal_digits) C(format_least) C(greatest) C(format_error) C(cores)
        C(element_format) C(element_bits) C(block_length) C(block_scale) C(bits_a_number) C(preparation)
            C(changed_share) C(moved_mean) C(moved_most) C(moved_mean_of_eps) C(moved_most_of_eps) C(beyond_share)
                C(vanished_share) C(sign_bits) C(exponent_bits) C(fraction_bits) C(bias) C(numbers) C(least_normal)
                    C(octaves) C(codes_per_octave) C(zero) C(number_place) C(shown_number) C(number_error) C(bits))
ROW(runs, false, false,
    C(run) C(session) C(started) C(dataset) C(n_brief) C(d_brief) C(engine) C(spec) C(device) C(eps)
        C(selectivity_brief) C(pairs) C(trials) C(kernel_s) C(total_s) C(tflops_derived_brief) C(state) C(sampled))
ROW(sessions, false, false,
    C(session) C(started) C(ended) C(state) C(commands) C(failed) C(runs) C(version) C(commit) C(host))
ROW(targets, true, false,
    C(target) C(session) C(dataset) C(sha256) C(wanted) C(eps) C(selectivity_brief) C(pairs) C(ties) C(sampled_eps)
        C(passes) C(spec))
ROW(recalls, false, true,
    C(point) C(lut) C(table_bytes) C(nprobe) C(recall) C(recall_low) C(recall_high) C(queries_per_s) C(pass_s) C(cov)
        C(speed) C(trials) C(passes))
ROW(precisions, false, false,
    C(dataset) C(n_brief) C(d_brief) C(selectivity_brief) C(eps) C(want) C(rung_enough) C(rung_bytes) C(overlap)
        C(rung_short) C(overlap_short) C(overlap_basis) C(command) C(session) C(recorded) C(rung) C(overlap_predicted)
            C(worst_overlap) C(error_of_eps) C(knn_recall) C(kendall_tau) C(complete_eps) C(complete_price) C(rescore)
                C(rate_model) C(gpu) C(tflops_derived) C(limit_share) C(kernel_s) C(total_s) C(prediction) C(sampled)
                    C(spec))
ROW(show, false, true,
    C(trial) C(upload_s) C(convert_s) C(norms_s) C(kernel_s) C(download_s) C(table_s) C(total_s) C(energy_j))
ROW(diff, false, false,
    C(condition) C(baseline) C(run) C(differs) C(part) C(baseline_s) C(run_s) C(ratio) C(verdict) C(baseline_cov)
        C(run_cov) C(option) C(reason))
ROW(sql, true, true, )
ROW(queue, true, false, C(number) C(waiting_line) C(device) C(trials) C(seed) C(threads))
ROW(messages, true, false, C(at) C(kind) C(text))
