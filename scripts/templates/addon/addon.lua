-- Describes the add-on. `requires = { menu = ">=1.0" }` names the add-ons that it uses.
return { name = "thing", version = "1.0.0", licence = "MIT", doc = "entities that turn" }
