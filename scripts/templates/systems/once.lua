-- Runs code once, when the game starts.
return {
  start = function()
    log.info("thing: started")
  end,
}
