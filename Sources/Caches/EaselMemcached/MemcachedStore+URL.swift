import EaselCore
import EaselWire

extension MemcachedStore.Configuration {
  /// Reads `memcached://host[:port][,host...]?prefix=NAME&largest=BYTES`; the parameters may be left out.
  public init(_ url: String) throws {
    func refuse(_ reason: String) -> ImageError { ImageError(.invalidURL, reason) }
    let form = "memcached is written memcached://host[:port][,host...]."
    let parts = url.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    guard let end = parts[0].firstRange(of: "://"), parts[0][..<end.lowerBound].lowercased() == "memcached" else {
      throw refuse(form)
    }
    var hosts = parts[0][end.upperBound...]
    if hosts.hasSuffix("/") { hosts = hosts.dropLast() }
    self.init(
      try hosts.split(separator: ",", omittingEmptySubsequences: false).map { text in
        guard case .tcp(let host, let port)? = WireAddress(text, port: 11211) else {
          throw refuse("'\(text)' is no host and port. \(form)")
        }
        return (host, port)
      })
    for parameter in parts.count > 1 ? parts[1].split(separator: "&") : [] {
      let words = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      switch (words[0], words.count > 1 ? String(words[1]) : "") {
      case ("prefix", let text): prefix = text
      case ("largest", let text):
        guard let number = Int(text), (1...128 << 20).contains(number) else {
          throw refuse("The largest body in memcached is a number of bytes, at most 134217728: \(text)")
        }
        largestBody = number
      default: throw refuse("memcached has no parameter \(words[0]), only prefix and largest.")
      }
    }
  }
}
