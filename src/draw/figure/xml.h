/* xml: writes text between the tags of an XML document. */
#pragma once

#include <stdint.h>
#include <stdio.h>

/* A character as ASCII, escaped where needed. Control characters, which XML must not have, become U+FFFD. */
void eb_xml_character(FILE *out, uint32_t c);

/* UTF-8 text; bytes that are not UTF-8 become U+FFFD. */
void eb_xml_text(FILE *out, const char *text);
