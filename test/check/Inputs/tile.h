#pragma once
#include <warpwright/annotate.h>
#define WIDTH 33
