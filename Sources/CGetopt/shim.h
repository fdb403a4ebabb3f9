// glibc's long-option parser, which Swift's Glibc module leaves out.
#include <getopt.h>
