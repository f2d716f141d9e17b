"""The promises of each family, as public functions that test anyone's planner, recogniser or world."""
