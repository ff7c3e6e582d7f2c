import FamilyTesting

/// The helper that the tests use.
let pdf = HelperUnderTest("pdf")
