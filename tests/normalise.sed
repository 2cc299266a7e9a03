# Hides what differs from run to run: durations and rates as people read them ("12.3 ms" → "TIME"), the short commit of
# a version line. Columns that hold such numbers lose their padding too.
s/ *[0-9]+(\.[0-9]+)? (ns|µs|us|ms|s|min)\b/ TIME/g
s/ *[0-9]+(\.[0-9]+)? (M|G|T)FLOPS\b/ RATE/g
s/^epsbench [0-9.]+ \([0-9a-f+unkow]+\)$/epsbench VERSION/
