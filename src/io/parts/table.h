/* table: what a table in parts is (parts.h), and how it is to be written. */
#pragma once

#include "core/base/job.h"
#include "core/join/neighbours.h"

#define EB_PARTS_VERSION 1
#define EB_PARTS_MOST 10000u /* parts of a table */
#define EB_PARTS_OPTIONS 800u

/* What a table is: parts of different tables are never mixed. */
typedef struct eb_parts_table {
    char sha256[65]; /* of the dataset */
    size_t n, others;
    bool self;
    double eps;
    eb_distances kept;
    char engine[EB_PARTS_OPTIONS];  /* its spec */
    char options[EB_PARTS_OPTIONS]; /* all of its options, and what else decides its answer */
    char cut[160]; /* "": parts have consecutive rows; else how rows were chosen for the parts, one line of text */
} eb_parts_table;

typedef struct eb_parts_how {
    bool replace;     /* remove what is there of another table, or of this one */
    bool shared;      /* other processes write the same table meanwhile; excludes replace */
    bool told;        /* who writes is told which parts are missing, by a process that has the folder open (keeper.h):
                       * nothing that is there is read */
    unsigned threads; /* for checksums; 0: one */
    eb_job *job;      /* NULL: writing cannot be cancelled; rows advance it by one unit each */
} eb_parts_how;

/* Names the first thing in which two tables differ: "at ε = 0.1, not 0.2". "": nothing. Returns buffer. */
char *eb_table_difference(const eb_parts_table *there, const eb_parts_table *wanted, char *buffer, size_t size);
