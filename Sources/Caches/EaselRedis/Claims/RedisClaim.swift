import EaselCore

/// A claim that this process holds; its lease is extended until it ends.
final class RedisClaim: FlightClaim {
  /// The longest time for which a claim is kept alive, in case its work never ends.
  private static let longestLife = Duration.seconds(120)

  private let key: FlightKey
  private let token: String
  private let names: RedisNames
  private let store: RedisStore
  private let extending: Task<Void, Never>

  init(
    _ key: FlightKey, _ token: String, _ names: RedisNames, of store: RedisStore, lease: Duration, clock: any ImageClock
  ) {
    self.key = key
    self.token = token
    self.names = names
    self.store = store
    store.claims.add(token, for: key)
    let name = names.claim(of: key.kind)
    extending = Task.detached { [client = store.client] in
      let end = clock.uptime + Self.longestLife
      let extend = RedisScript.extend.command(keys: [name], [token, "\(lease.milliseconds)"])
      while clock.uptime < end, (try? await clock.sleep(for: lease / 3)) != nil {
        // Another process now has the lease.
        if let reply = try? await client.send(extend, for: name), reply.number == 0 { return }
      }
    }
  }

  deinit { extending.cancel() }

  func end(_ outcome: FlightKey.Result) async {
    extending.cancel()
    store.claims.remove(token, for: key)
    let name = names.claim(of: key.kind)
    let message = ClaimMessage.text(name, outcome)
    // If this message does not arrive, the claim ends with its lease.
    _ = try? await store.client.send(
      RedisScript.end.command(keys: [name], [token, names.channel, message]), for: name)
  }
}
