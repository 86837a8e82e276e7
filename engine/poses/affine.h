// Affine transforms of the plane.
#ifndef SHOAL_POSES_AFFINE_H
#define SHOAL_POSES_AFFINE_H

typedef struct affine_t { // p → u · p.x + v · p.y + (x, y)
  float ux, uy, vx, vy, x, y;
} affine_t;

static inline void affine_apply(const affine_t *m, float x, float y, float *out_x, float *out_y) {
  *out_x = m->ux * x + m->vx * y + m->x;
  *out_y = m->uy * x + m->vy * y + m->y;
}

// Returns the transform that applies `b`, then `a`.
static inline affine_t affine_multiply(const affine_t *a, const affine_t *b) {
  affine_t r = {a->ux * b->ux + a->vx * b->uy,
                a->uy * b->ux + a->vy * b->uy,
                a->ux * b->vx + a->vx * b->vy,
                a->uy * b->vx + a->vy * b->vy,
                0.0f,
                0.0f};
  affine_apply(a, b->x, b->y, &r.x, &r.y);
  return r;
}

#endif
