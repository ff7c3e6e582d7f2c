/// A difference between a cache's behaviour and the expected one.
struct CacheTestComplaint {
  let text: String
  /// True when it concerns only the preparation of the test.
  let isSetup: Bool
}
