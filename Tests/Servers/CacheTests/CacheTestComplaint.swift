/// What a cache did that a test did not expect.
struct CacheTestComplaint {
  let text: String
  /// Whether it concerns only what leads to the thing to be tested.
  let isSetup: Bool
}
