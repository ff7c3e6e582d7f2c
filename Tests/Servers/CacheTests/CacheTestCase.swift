import FoundationEssentials

/// A test of a cache: a sequence of requests for one URL.
public struct CacheTestCase: Sendable, Decodable {
  /// The meaning of a test that does not pass.
  public enum Kind: String, Sendable, Decodable, CaseIterable {
    /// The cache violates the specification.
    case required
    /// The cache could do better.
    case optimal
    /// Nothing is wrong: the test only observes the cache.
    case check
  }

  /// The name of the test.
  public var name: String
  /// The identifier to which other tests refer.
  public var id: String
  /// The requests.
  public var requests: [CacheTestStep]
  /// The kind of the test; `required` by default.
  public var kind: Kind
  /// The tests that must pass before this one means anything.
  public var dependencies: [String]
  /// True for tests of private caches only.
  public var isForPrivateCaches: Bool
  /// True for tests of shared caches only.
  public var isForSharedCaches: Bool

  private enum CodingKeys: String, CodingKey, CaseIterable {
    case name, id, requests, kind, description, dump
    case dependencies = "depends_on"
    case browserOnly = "browser_only"
    case browserSkip = "browser_skip"
    case cdnOnly = "cdn_only"
    case anchors = "spec_anchors"
  }

  /// Reads a test; unknown members are errors, because they may contain conditions to check.
  public init(from decoder: any Decoder) throws {
    try decoder.refuseKeys(except: CodingKeys.allCases.map(\.rawValue))
    let values = try decoder.container(keyedBy: CodingKeys.self)
    name = try values.decode(String.self, forKey: .name)
    id = try values.decode(String.self, forKey: .id)
    requests = try values.decode([CheckedStep].self, forKey: .requests).map(\.step)
    kind = try values.decodeIfPresent(Kind.self, forKey: .kind) ?? .required
    dependencies = try values.decodeIfPresent([String].self, forKey: .dependencies) ?? []
    isForPrivateCaches = try values.decodeIfPresent(Bool.self, forKey: .browserOnly) ?? false
    let isNotForBrowsers = try values.decodeIfPresent(Bool.self, forKey: .browserSkip) ?? false
    isForSharedCaches = try isNotForBrowsers || values.decodeIfPresent(Bool.self, forKey: .cdnOnly) ?? false
  }

  /// The reason why the test does not apply to the private cache of a program; nil if it does.
  public var reasonToLeaveOut: String? {
    if isForSharedCaches { return "for shared caches" }
    if requests.contains(where: { $0.expectedInterimResponses != nil }) { return "about interim responses" }
    if requests.contains(where: \.needsBrowser) { return "for the fetch call of browsers" }
    return nil
  }

  /// Reads the tests in the JSON of a list of suites, of one suite, or of a list of tests.
  public static func all(in json: Data) throws -> [CacheTestCase] {
    struct Suite: Decodable { var tests: [CacheTestCase] }
    // The form is decided first, so that an error describes the right one.
    struct Shape: Decodable { var tests: [Shape]? }
    let decoder = JSONDecoder()
    if (try? decoder.decode(Shape.self, from: json))?.tests != nil {
      return try decoder.decode(Suite.self, from: json).tests
    }
    let hasSuites = (try? decoder.decode([Shape].self, from: json))?.first?.tests != nil
    guard hasSuites else { return try decoder.decode([CacheTestCase].self, from: json) }
    return try decoder.decode([Suite].self, from: json).flatMap(\.tests)
  }

  /// Checks that a step has no unknown members.
  private struct CheckedStep: Decodable {
    let step: CacheTestStep

    init(from decoder: any Decoder) throws {
      try decoder.refuseKeys(except: CacheTestStep.CodingKeys.allCases.map(\.rawValue))
      step = try CacheTestStep(from: decoder)
    }
  }
}

extension Decoder {
  /// Throws when there is a member of another name.
  fileprivate func refuseKeys(except known: [String]) throws {
    for key in try container(keyedBy: CacheTestKey.self).allKeys where !known.contains(key.stringValue) {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: codingPath, debugDescription: "Nobody here knows what \"\(key.stringValue)\" means."))
    }
  }
}

private struct CacheTestKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}
