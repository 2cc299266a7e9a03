/* decimal: conversion between decimal text and FP64, correctly rounded, in any locale. Pure functions. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Reads [begin, end): sign, digits, ".", digits, exponent; or nan, inf, infinity in upper or lower case, with or
 * without a sign. False: the text is anything else. */
bool eb_read_decimal(const char *begin, const char *end, double *out);

/* The shortest decimal number that reads back as x. Returns buffer. */
char *eb_format_exact(char *buffer, size_t size, double x);
