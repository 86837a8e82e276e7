// What an observer hears of (ecs/changes.h). The numbers are part of bindings/abi.h.
#ifndef SHOAL_ECS_OBSERVED_H
#define SHOAL_ECS_OBSERVED_H

typedef enum observed_t { OBSERVED_ADD, OBSERVED_REMOVE, OBSERVED_SET, OBSERVED_KINDS } observed_t;

#endif
