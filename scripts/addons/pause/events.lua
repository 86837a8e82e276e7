-- `leave`: the player quits to the title; the game handles it.
return { resume = {}, leave = {} }
