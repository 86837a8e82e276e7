return { hour_passed = { hour = 0 }, day_began = { day = 0 } }
