/* notes: texts of notes in reports of the log that panels recognise. */
#pragma once

#define EB_NO_RUNS "no runs in the log yet"
