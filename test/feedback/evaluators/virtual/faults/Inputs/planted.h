// Each kernel holds one fault; compiled with -DMENDED the same kernel is right.
#ifdef MENDED
#define PLANTED(wrong, right) (right)
#define PLANTED_CODE(wrong, right) right
#else
#define PLANTED(wrong, right) (wrong)
#define PLANTED_CODE(wrong, right) wrong
#endif
