#include "rewriters/Candidate.h"
