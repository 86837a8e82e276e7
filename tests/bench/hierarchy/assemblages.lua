local muzzle = { components = { transform = { x = 4 }, radar = {} } }

return {
  ship = {
    components = { transform = {}, spin = {}, radar = {} },
    children = {
      left = { components = { transform = { x = 10 }, radar = {} }, children = { muzzle = muzzle } },
      right = { components = { transform = { x = -10 }, radar = {} } },
    },
  },
}
