return {
  row = { components = { mover = {}, pushed = {}, vital = {}, struck = {}, thinker = {}, drifter = {}, wrapped = {},
    spark = {}, turner = {}, orbiter = {}, hunter = {}, counted = {} } },
}
