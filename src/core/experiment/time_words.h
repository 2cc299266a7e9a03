/* time_words: explains in words what a time or a rate includes. Reports, panels, help and the manual use these texts
 * wherever times of engines stand beside each other or beside published ones. Sources: kernels/tiled/launches.cuh and
 * kernels/walk/engine.c (kernel_s), measure.c (total_s); for the authors' times, FASTED's code.
 */
#pragma once

#define EB_TIMES_BRIEF "kernels: distances and hits alone; end to end: from loaded points to the table, all parts"
#define EB_PUBLISHED_BRIEF "published rates are over norms + kernel, those here over kernels alone"

#define EB_TIMES_LONG                                                                                                  \
    "Kernels is the time in which distances are computed and hits found: on a GPU the join's kernels by the GPU's "    \
    "clock, on the CPU the walk over tiles. Upload, conversion, norms (on the CPU a part of conversion), download, "   \
    "neighbour table, setting up and closing are counted apart. End to end is a whole trial, from the loaded points "  \
    "to the finished table (with count: to |R|). Reading a file is never included. Rates are over kernels."
#define EB_PUBLISHED_LONG                                                                                              \
    "FASTED's authors divide 2n²d by the time of norms and kernel. Their response time leaves out reading the file "  \
    "and the conversion to FP16, and includes the sort."
