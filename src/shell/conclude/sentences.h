/* sentences: one function per command that adds the conclusion to its report; the comments name the files. */
#pragma once

#include "core/report/report.h"

void eb_conclude_points(eb_report *report); /* points.c: load, synth */
void eb_conclude_info(eb_report *report);
void eb_conclude_project(eb_report *report);
void eb_conclude_engines(eb_report *report);
void eb_conclude_devices(eb_report *report);

void eb_conclude_tune(eb_report *report); /* radius.c */
void eb_conclude_curve(eb_report *report);
void eb_conclude_sweep(eb_report *report);
void eb_conclude_kdistance(eb_report *report);
void eb_conclude_clusters(eb_report *report);
void eb_conclude_dbscan(eb_report *report);
void eb_conclude_neighbours(eb_report *report);
void eb_conclude_knn(eb_report *report);

void eb_conclude_join(eb_report *report); /* runs.c */
void eb_conclude_save(eb_report *report);
void eb_conclude_hist(eb_report *report);
void eb_conclude_show(eb_report *report);
void eb_conclude_diff(eb_report *report);
void eb_conclude_export(eb_report *report);

void eb_conclude_explain(eb_report *report); /* lab.c */
void eb_conclude_ablate(eb_report *report);
void eb_conclude_model(eb_report *report);
void eb_conclude_grid(eb_report *report);
void eb_conclude_recall(eb_report *report);
void eb_conclude_index(eb_report *report);
void eb_conclude_counters(eb_report *report);
