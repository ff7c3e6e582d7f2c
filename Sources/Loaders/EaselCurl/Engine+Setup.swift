import CEaselCurl

/// Sets options of curl's handles before each leg.
extension Engine {
  /// Gives a handle all options that the next leg needs.
  func setUp(_ handle: EasyHandle, for transfer: Transfer) {
    let isPlain = isPlain(transfer)
    if !handle.isPlain || !isPlain {
      handle.reset()
      handle.setCommonOptions(configuration)
      if isPlain { handle.setHeaders(plainHeaders) }
      handle.isPlain = isPlain
    }
    handle.setURL(of: transfer.leg)
    if !isPlain { setUpDetails(handle, for: transfer) }
  }

  /// True when the leg differs from others only in its URL.
  private func isPlain(_ transfer: Transfer) -> Bool {
    origins.isEmpty && configuration.resolve == nil && transfer.leg.isPlain(for: transfer.job)
  }

  private func setUpDetails(_ handle: EasyHandle, for transfer: Transfer) {
    let request = transfer.job.request
    if request.handlesCookies, cookies == nil { cookies = easel_share_cookies() }
    handle.setDetails(
      of: transfer, credential: transfer.leg.isForeign ? nil : Leg.origin(transfer.leg.url).flatMap { origins[$0] },
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
