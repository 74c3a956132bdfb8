#define SINEW_ALL_PAIRS
#include "muscles/wrap_laws_test.cpp"
