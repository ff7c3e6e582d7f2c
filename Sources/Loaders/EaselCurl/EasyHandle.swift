import CEaselCurl

/// One of curl's easy handles, which is reused for many transfers.
final class EasyHandle {
  let easy: OpaquePointerToCurl
  private let errorText: UnsafeMutablePointer<CChar>
  private let receiver: UnsafeMutablePointer<easel_receiver>
  private let loop: OpaquePointer
  /// True when only the common options are set.
  var isPlain = false
  /// True when the options are set for a URL without encryption; nil when no options are set.
  var isUnencrypted: Bool?
  private var reportsDetails = false
  /// The lists must live as long as the transfer.
  var headers: HeaderList?
  var resolve: HeaderList?

  init?(loop: OpaquePointer) {
    guard let easy = curl_easy_init() else { return nil }
    self.easy = easy
    errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
    errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    receiver = .allocate(capacity: 1)
    receiver.initialize(to: easel_receiver())
    self.loop = loop
    receiver.pointee.clock = easel_loop_clock(loop)
    receiver.pointee.calls = CurlExchange.callbacks
    receiver.pointee.easy = easy
    receiver.pointee.loop = loop
  }

  deinit {
    curl_easy_cleanup(easy)
    easel_receiver_free(receiver)
    receiver.deallocate()
    errorText.deallocate()
  }

  /// curl's message about the last failure.
  var detail: String { String(cString: errorText) }

  func reset() {
    // curl keeps the cookie jar even when the handle is reset.
    set(CURLOPT_SHARE, nil as UnsafeMutableRawPointer?)
    curl_easy_reset(easy)
    isPlain = false
    isUnencrypted = nil
    reportsDetails = false
  }

  /// True for HTTP/1, where responses come in the order of their requests.
  var isInTurn: Bool { easel_easy_is_in_turn(easy) }

  /// Makes curl close the connection after the transfer.
  func forbidReuse() {
    set(CURLOPT_FORBID_REUSE, true)
    isPlain = false
  }

  /// Removes the traces of the last exchange, and directs callbacks to the next one.
  func prepare(for exchange: CurlExchange) {
    errorText[0] = 0
    // The last transfer forbade the reuse of its connection; the next transfer must not inherit that option.
    if receiver.pointee.has_excess { isPlain = false }
    if reportsDetails { reportDetails(false) }
    easel_receiver_prepare(
      receiver, Unmanaged.passUnretained(exchange).toOpaque(), exchange.engine.configuration.maximumHeadBytes,
      exchange.transfer.mostBytes)
  }

  /// The lines of the last head.
  var head: UnsafeBufferPointer<CChar> {
    let bytes = UnsafeRawBufferPointer(start: receiver.pointee.head, count: receiver.pointee.head_count)
    return bytes.assumingMemoryBound(to: CChar.self)
  }

  /// True when far more bytes arrived than a response may have.
  var isFlooded: Bool { receiver.pointee.is_flooded }

  /// The time at which bytes last arrived, even if that was long before this transfer.
  var activity: Int64 { receiver.pointee.activity }

  /// The time at which the first bytes of the response arrived; nil before that.
  var beginning: Int64? { receiver.pointee.beginning < 0 ? nil : receiver.pointee.beginning }

  /// The number of all bytes that have ever arrived.
  var bytes: Int64 { receiver.pointee.bytes }

  /// Prepares for the next head after an interim one.
  func awaitAnotherHead() {
    receiver.pointee.head_count = 0
    receiver.pointee.awaits = easel_awaits_head
  }

  /// Prepares for curl's own second request, whose head would replace the present one.
  func allowAnotherHead() { receiver.pointee.awaits = easel_awaits_body_or_head }

  func setReceiver() {
    easel_easy_set_receiver(easy, receiver)
    easel_loop_keep_connections(loop, easy)
  }

  /// Makes curl report the heads that it sends, and the bytes that it discards.
  func reportDetails(_ mustReport: Bool = true) {
    easel_easy_report_details(easy, receiver, mustReport)
    reportsDetails = mustReport
  }

  func set(_ option: CURLoption, _ number: Int) { easel_easy_set_number(easy, option, number) }
  func set(_ option: CURLoption, _ isOn: Bool) { easel_easy_set_number(easy, option, isOn ? 1 : 0) }
  func set(_ option: CURLoption, _ text: String?) { easel_easy_set_text(easy, option, text) }
  func set(_ option: CURLoption, _ pointer: UnsafeMutableRawPointer?) { easel_easy_set_pointer(easy, option, pointer) }
  func setErrorText() { easel_easy_set_pointer(easy, CURLOPT_ERRORBUFFER, errorText) }

  /// Sets a duration in milliseconds; at least one, because zero means "no limit" to curl.
  func set(_ option: CURLoption, _ duration: Duration) {
    easel_easy_set_number(easy, option, max(1, duration.milliseconds))
  }
}

/// curl.h declares its handles as `void *`.
typealias OpaquePointerToCurl = UnsafeMutableRawPointer

extension Duration {
  var milliseconds: Int {
    guard self < .longest else { return Int.max / 2 }
    let (seconds, attoseconds) = bounded.components
    return Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000)
  }
}
