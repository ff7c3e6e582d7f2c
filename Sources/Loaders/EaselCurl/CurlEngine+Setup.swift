import CEaselCurl

/// Sets the options of curl's handles before each step.
extension CurlEngine {
  /// Sets all options of a handle that an exchange needs.
  func setOptions(of handle: EasyHandle, for exchange: CurlExchange) {
    exchange.mayBeAskedForCredentials = configuration.proxy.hasCredential
    let isPlain = isPlain(exchange)
    if !handle.isPlain || !isPlain {
      handle.reset()
      handle.setCommonOptions(configuration)
      if isPlain { handle.setHeaders(plainHeaders) }
      handle.isPlain = isPlain
    }
    handle.setURL(of: exchange.step)
    if !isPlain { setDetails(of: handle, for: exchange) }
  }

  /// True when the step differs from other steps only in its URL.
  private func isPlain(_ exchange: CurlExchange) -> Bool {
    credentials.isEmpty && configuration.resolve == nil && !configuration.needsDetails
      && exchange.step.isPlain(for: exchange.job)
  }

  private func setDetails(of handle: EasyHandle, for exchange: CurlExchange) {
    let (step, request) = (exchange.step, exchange.job.request)
    if request.handlesCookies, cookies == nil { cookies = easel_share_cookies() }
    handle.setDetails(
      of: exchange, credential: step.isForeign ? nil : TransferStep.origin(step.url).flatMap { credentials[$0] },
      cookies: request.handlesCookies ? cookies : nil)
  }

  func forgetCookies() {
    // A jar that a transfer may share can be emptied only through another handle that shares it.
    guard let cookies, let handle = EasyHandle(loop: loop) else { return }
    handle.set(CURLOPT_SHARE, cookies)
    handle.set(CURLOPT_COOKIELIST, "ALL")
    handle.set(CURLOPT_SHARE, nil as UnsafeMutableRawPointer?)
  }
}
