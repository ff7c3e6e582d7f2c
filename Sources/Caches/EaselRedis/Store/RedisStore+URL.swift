import EaselCore

extension RedisStore.Configuration {
  /// Reads `redis://host?prefix=NAME` and the other forms for servers.
  ///
  /// The forms are `redis://[user:password@]host[:port][/database]`, `rediss://` for TLS, `redis+unix:///path`,
  /// `redis+sentinel://host,host/master[/database]` and `redis+cluster://host,host`. The parameters are `prefix`,
  /// `largest` (the largest body in bytes), `db`, and for TLS `ca` (a file of certificates) and `servername`.
  public init(_ url: String) throws {
    var (servers, parameters) = try RedisConfiguration.read(url)
    self.init(servers)
    func refuse(_ reason: String) -> ImageError { ImageError(.invalidURL, reason) }
    if let prefix = parameters.removeValue(forKey: "prefix") {
      guard !prefix.isEmpty else { throw refuse("The prefix of Redis is empty.") }
      self.prefix = prefix
    }
    if let text = parameters.removeValue(forKey: "largest") {
      guard let number = Int(text), (1...256 << 20).contains(number) else {
        throw refuse("The largest body in Redis is a number of bytes, at most 268435456: \(text)")
      }
      largestBody = number
    }
    if let unknown = parameters.keys.min() {
      throw refuse("Redis has no parameter \(unknown), only prefix, largest, db, ca and servername.")
    }
  }
}
