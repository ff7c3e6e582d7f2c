import FoundationEssentials

/// A test of a cache: requests for one URL, one after another.
public struct CacheTestCase: Sendable, Decodable {
  /// What it means when a test does not pass.
  public enum Kind: String, Sendable, Decodable, CaseIterable {
    /// The cache breaks a rule.
    case required
    /// It could do better.
    case optimal
    /// Nothing: the test only asks what the cache does.
    case check
  }

  /// What it is about.
  public var name: String
  /// What others refer to it by.
  public var id: String
  /// The requests.
  public var requests: [CacheTestStep]
  /// What it means when it does not pass; `required` where nothing is said.
  public var kind: Kind
  /// The tests without which this one says nothing.
  public var dependencies: [String]
  /// Whether only caches of one user are meant.
  public var isForPrivateCaches: Bool
  /// Whether only caches shared by many users are meant.
  public var isForSharedCaches: Bool

  private enum CodingKeys: String, CodingKey, CaseIterable {
    case name, id, requests, kind, description, dump
    case dependencies = "depends_on"
    case browserOnly = "browser_only"
    case browserSkip = "browser_skip"
    case cdnOnly = "cdn_only"
    case anchors = "spec_anchors"
  }

  /// Reads a test; a member that it does not know is an error, since it may be something to be looked at.
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

  /// Why it says nothing of the cache of one program, nil where it does.
  public var reasonToLeaveOut: String? {
    if isForSharedCaches { return "for shared caches" }
    if requests.contains(where: { $0.expectedInterimResponses != nil }) { return "about interim responses" }
    if requests.contains(where: \.needsBrowser) { return "for the fetch call of browsers" }
    return nil
  }

  /// The tests in the JSON of a list of suites, of one suite, or of a list of tests.
  public static func all(in json: Data) throws -> [CacheTestCase] {
    struct Suite: Decodable { var tests: [CacheTestCase] }
    // Which it is, so that an error tells of what is wrong in it.
    struct Shape: Decodable { var tests: [Shape]? }
    let decoder = JSONDecoder()
    if (try? decoder.decode(Shape.self, from: json))?.tests != nil {
      return try decoder.decode(Suite.self, from: json).tests
    }
    let hasSuites = (try? decoder.decode([Shape].self, from: json))?.first?.tests != nil
    guard hasSuites else { return try decoder.decode([CacheTestCase].self, from: json) }
    return try decoder.decode([Suite].self, from: json).flatMap(\.tests)
  }

  /// A step without members that nobody knows.
  private struct CheckedStep: Decodable {
    let step: CacheTestStep

    init(from decoder: any Decoder) throws {
      try decoder.refuseKeys(except: CacheTestStep.CodingKeys.allCases.map(\.rawValue))
      step = try CacheTestStep(from: decoder)
    }
  }
}

extension Decoder {
  /// Fails when there is a member of another name.
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
