-- `leave`: the player quits to the title; the game must handle this event.
return { resume = {}, leave = {} }
