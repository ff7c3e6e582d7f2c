import CEaselCurl

extension CurlExchange {
  /// The callbacks of curl, which run on the engine's thread.
  ///
  /// They do not retain the exchange, because the engine holds it until its step ends.
  static let callbacks = easel_receiver_calls(
    head: { owner, news in CurlExchange.exchange(owner).takeHead(news) },
    body: { owner, bytes, count in
      CurlExchange.exchange(owner).takeBody(UnsafeRawBufferPointer(start: bytes, count: count))
    },
    open: { owner, address in
      guard let address else { return easel_no_socket() }
      let exchange = CurlExchange.exchange(owner)
      return exchange.mayConnect(to: address) ? easel_loop_connect(exchange.engine.loop, address) : easel_no_socket()
    },
    sent: { owner, bytes, count in
      CurlExchange.exchange(owner).sentHead.add(UnsafeRawBufferPointer(start: bytes, count: count))
    })

  static func exchange(_ owner: UnsafeMutableRawPointer?) -> CurlExchange {
    Unmanaged<CurlExchange>.fromOpaque(owner!).takeUnretainedValue()
  }

  /// Asks the address policy whether this address may be connected to.
  ///
  /// An address that is not an internet address is refused unless all addresses are allowed.
  private func mayConnect(to address: UnsafePointer<curl_sockaddr>) -> Bool {
    let policy = engine.configuration.addressPolicy
    if policy.allowsEverything { return true }
    var bytes = [UInt8](repeating: 0, count: 16)
    var port: UInt16 = 0
    let count = Int(easel_address_bytes(address, &bytes, &port))
    guard let target = AddressPolicy.IPAddress(bytes: Array(bytes.prefix(count))) else { return false }
    if policy.allows(target, port: Int(port)) { return true }
    refusedAddress = target
    return false
  }
}
