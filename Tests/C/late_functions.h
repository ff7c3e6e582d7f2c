// As script/parts/package/link-late writes it.
LIBRARY("liblate.so", 0, 5)
FUNCTION(0, late_length)
FUNCTION(1, late_made)
FUNCTION(2, late_mean)
FUNCTION(3, late_print)
FUNCTION(4, late_sum)
