import FoundationEssentials

/// A test of a cache: requests for one URL, one after another.
public struct CacheTestCase: Sendable, Decodable {
  /// What it is about.
  public var name: String
  /// What others refer to it by.
  public var id: String
  /// The requests.
  public var requests: [CacheTestStep]
  /// `required`, `optimal` or `check`.
  public var kind: String?
  /// Whether only caches of one user are meant.
  public var isForPrivateCaches: Bool
  /// Whether only caches shared by many users are meant.
  public var isForSharedCaches: Bool

  private enum CodingKeys: String, CodingKey {
    case name, id, requests, kind
    case browserOnly = "browser_only"
    case cdnOnly = "cdn_only"
  }

  /// Reads a test.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    name = try values.decode(String.self, forKey: .name)
    id = try values.decode(String.self, forKey: .id)
    requests = try values.decode([CacheTestStep].self, forKey: .requests)
    kind = try values.decodeIfPresent(String.self, forKey: .kind)
    isForPrivateCaches = try values.decodeIfPresent(Bool.self, forKey: .browserOnly) ?? false
    isForSharedCaches = try values.decodeIfPresent(Bool.self, forKey: .cdnOnly) ?? false
  }

  /// The tests in the JSON of a list of suites, of one suite, or of a list of tests.
  public static func all(in json: Data) throws -> [CacheTestCase] {
    struct Suite: Decodable { var tests: [CacheTestCase] }
    let decoder = JSONDecoder()
    if let suites = try? decoder.decode([Suite].self, from: json) { return suites.flatMap(\.tests) }
    if let suite = try? decoder.decode(Suite.self, from: json) { return suite.tests }
    return try decoder.decode([CacheTestCase].self, from: json)
  }
}
