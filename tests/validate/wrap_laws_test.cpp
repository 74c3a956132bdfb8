#define SINEW_ALL_PAIRS
#include "muscles/wrap/wrap_laws_test.cpp"
