/* ted-index on CUDA: TED-Join's kernel over the candidates of a grid (ted_paper.cuh). */
#include "kernels/fp64/ted_paper_rules.cuh"

extern "C" const eb_implementation eb_ted_index_cuda =
    eb::implementation_of<eb::indexed_engine<eb::ted_paper_rules<true>>>();
