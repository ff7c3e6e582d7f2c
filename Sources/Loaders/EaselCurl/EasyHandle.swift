import CEaselCurl

/// One of curl's transfers, used again and again.
final class EasyHandle {
  let easy: OpaquePointerToCurl
  private let errorText: UnsafeMutablePointer<CChar>
  /// Whether only what all transfers have in common is set.
  var isPlain = false
  /// What must live as long as the transfer.
  var headers: HeaderList?
  var resolve: HeaderList?
  /// The lines of the head that is being received, here so that the memory is used again.
  var head: [UInt8] = []

  init?() {
    guard let easy = curl_easy_init() else { return nil }
    self.easy = easy
    errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
    errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    head.reserveCapacity(1024)
  }

  deinit {
    curl_easy_cleanup(easy)
    errorText.deallocate()
  }

  /// What curl said about the last failure.
  var detail: String { String(cString: errorText) }

  func reset() {
    // curl keeps the jar of cookies through a reset.
    set(CURLOPT_SHARE, nil as UnsafeMutableRawPointer?)
    curl_easy_reset(easy)
    isPlain = false
  }

  /// Lets the connection be closed after the transfer.
  func forbidReuse() {
    set(CURLOPT_FORBID_REUSE, true)
    isPlain = false
  }

  /// Forgets what the last transfer left.
  func prepare() {
    errorText[0] = 0
    head.removeAll(keepingCapacity: true)
  }

  func set(_ option: CURLoption, _ number: Int) { easel_easy_set_number(easy, option, number) }
  func set(_ option: CURLoption, _ isOn: Bool) { easel_easy_set_number(easy, option, isOn ? 1 : 0) }
  func set(_ option: CURLoption, _ text: String?) { easel_easy_set_text(easy, option, text) }
  func set(_ option: CURLoption, _ pointer: UnsafeMutableRawPointer?) { easel_easy_set_pointer(easy, option, pointer) }
  func setErrorText() { easel_easy_set_pointer(easy, CURLOPT_ERRORBUFFER, errorText) }

  /// Whole milliseconds, at least one, since zero means "no limit" to curl.
  func set(_ option: CURLoption, _ duration: Duration) {
    easel_easy_set_number(easy, option, max(1, duration.milliseconds))
  }
}

/// curl.h declares its handles as pointers to nothing in particular.
typealias OpaquePointerToCurl = UnsafeMutableRawPointer

extension Duration {
  var milliseconds: Int {
    let (seconds, attoseconds) = components
    guard seconds < Int64.max / 2000 else { return Int.max / 2 }
    return Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000)
  }
}
