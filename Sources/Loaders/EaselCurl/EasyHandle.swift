import CEaselCurl

/// One of curl's transfers, used again and again.
final class EasyHandle {
  let easy: OpaquePointerToCurl
  private let errorText: UnsafeMutablePointer<CChar>
  private let receiver: UnsafeMutablePointer<easel_receiver>
  private let loop: OpaquePointer
  /// Whether only what all transfers have in common is set.
  var isPlain = false
  /// Whether what is set is for a URL without encryption; nil when nothing is set.
  var isReadable: Bool?
  private var tellsDetails = false
  /// What must live as long as the transfer.
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
    receiver.pointee.calls = Transfer.calls
    receiver.pointee.easy = easy
    receiver.pointee.loop = loop
  }

  deinit {
    curl_easy_cleanup(easy)
    easel_receiver_free(receiver)
    receiver.deallocate()
    errorText.deallocate()
  }

  /// What curl said about the last failure.
  var detail: String { String(cString: errorText) }

  func reset() {
    // curl keeps the jar of cookies through a reset.
    set(CURLOPT_SHARE, nil as UnsafeMutableRawPointer?)
    curl_easy_reset(easy)
    isPlain = false
    isReadable = nil
    tellsDetails = false
  }

  /// Lets the connection be closed after the transfer.
  func forbidReuse() {
    set(CURLOPT_FORBID_REUSE, true)
    isPlain = false
  }

  /// Forgets what the last transfer left, and tells the next one of what comes.
  func prepare(for transfer: Transfer) {
    errorText[0] = 0
    // Then its connection was not to be used again, which the next one must not take over.
    if receiver.pointee.has_excess { isPlain = false }
    if tellsDetails { tellDetails(false) }
    easel_receiver_prepare(
      receiver, Unmanaged.passUnretained(transfer).toOpaque(), transfer.engine.configuration.maximumHeadBytes,
      transfer.mostBytes)
  }

  /// The lines of the last head.
  var head: UnsafeBufferPointer<CChar> {
    let bytes = UnsafeRawBufferPointer(start: receiver.pointee.head, count: receiver.pointee.head_count)
    return bytes.assumingMemoryBound(to: CChar.self)
  }

  /// Whether far more came than a body.
  var isFlooded: Bool { receiver.pointee.is_flooded }

  /// When something came last, even if long before the transfer.
  var activity: Int64 { receiver.pointee.activity }

  /// The bytes of all that came, ever.
  var bytes: Int64 { receiver.pointee.bytes }

  /// Says that the head was not the last one.
  func awaitAnotherHead() {
    receiver.pointee.head_count = 0
    receiver.pointee.awaits = easel_awaits_head
  }

  /// Says that curl may ask once more, and that another head would replace this one.
  func mayHaveAnotherHead() { receiver.pointee.awaits = easel_awaits_body_or_head }

  func setReceiver() {
    easel_easy_set_receiver(easy, receiver)
    easel_loop_keep_connections(loop, easy)
  }

  /// Has the transfer hear of the heads that curl sends, and of bytes that curl throws away.
  func tellDetails(_ mustTell: Bool = true) {
    easel_easy_tell_details(easy, receiver, mustTell)
    tellsDetails = mustTell
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
    guard self < .longest else { return Int.max / 2 }
    let (seconds, attoseconds) = bounded.components
    return Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000)
  }
}
