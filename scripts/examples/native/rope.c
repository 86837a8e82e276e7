// The game's own C library: one step of a rope whose ends are fixed. The same arithmetic in doubles as in lib/rope.lua,
// so both give the same results. Build and run it from this folder:
//
//   cc -std=c11 -O2 -ffp-contract=off -shared -fPIC rope.c -o librope.so
//   LD_LIBRARY_PATH=$PWD shoal run . --trust
void rope_step(double *height, double *speed, int count, double dt_s);

void rope_step(double *height, double *speed, int count, double dt_s) {
  for (int i = 1; i < count - 1; ++i)
    speed[i] = (speed[i] + (height[i - 1] + height[i + 1] - 2 * height[i]) * 400 * dt_s) * 0.999;
  for (int i = 1; i < count - 1; ++i)
    height[i] = height[i] + speed[i] * dt_s;
}
