import CEaselCurl

/// Sets options of curl's handles before each leg.
extension Engine {
  /// Gives a handle all options that an exchange needs.
  func setOptions(of handle: EasyHandle, for exchange: Exchange) {
    exchange.mayBeAskedForCredentials = configuration.proxy.hasCredential
    let isPlain = isPlain(exchange)
    if !handle.isPlain || !isPlain {
      handle.reset()
      handle.setCommonOptions(configuration)
      if isPlain { handle.setHeaders(plainHeaders) }
      handle.isPlain = isPlain
    }
    handle.setURL(of: exchange.leg)
    if !isPlain { setDetails(of: handle, for: exchange) }
  }

  /// True when the leg differs from others only in its URL.
  private func isPlain(_ exchange: Exchange) -> Bool {
    credentials.isEmpty && configuration.resolve == nil && exchange.leg.isPlain(for: exchange.job)
  }

  private func setDetails(of handle: EasyHandle, for exchange: Exchange) {
    let (leg, request) = (exchange.leg, exchange.job.request)
    if request.handlesCookies, cookies == nil { cookies = easel_share_cookies() }
    handle.setDetails(
      of: exchange, credential: leg.isForeign ? nil : Leg.origin(leg.url).flatMap { credentials[$0] },
      cookies: request.handlesCookies ? cookies : nil)
  }

  func forgetCookies() {
    // The only way to empty a jar that a transfer may share is through another handle that shares it.
    guard let cookies, let handle = EasyHandle(loop: loop) else { return }
    handle.set(CURLOPT_SHARE, cookies)
    handle.set(CURLOPT_COOKIELIST, "ALL")
    handle.set(CURLOPT_SHARE, nil as UnsafeMutableRawPointer?)
  }
}
