import EaselCore
import EaselSupport
import EaselTestSupport
import FoundationEssentials

/// A clock that breaks one rule.
final class FlawedClock: ImageClock {
  private let flaw: ImageClockContract.Rule
  private let base = SystemClock()
  private let asked = Locked(0)

  init(_ flaw: ImageClockContract.Rule) { self.flaw = flaw }

  var date: Date { base.date }

  var uptime: Duration {
    // A clock that stands still proves that nothing waited, even on a busy machine.
    if flaw == .sleepLasts || flaw == .blockLasts { return .zero }
    guard flaw == .uptimeNeverGoesBack else { return base.uptime }
    return asked.withLock { asked in
      asked += 1
      return .seconds(1_000_000 - asked)
    }
  }

  func sleep(for duration: Duration) async throws {
    switch flaw {
    case .sleepLasts: try Task.checkCancellation()
    case .cancelledSleepEnds: try? await base.sleep(for: duration)
    case .noSleepEndsAtOnce where duration <= .zero: try await base.sleep(for: .seconds(100_000))
    default: try await base.sleep(for: duration)
    }
  }

  func block(for duration: Duration) { if flaw != .blockLasts { base.block(for: duration) } }
}

/// Blocks the thread for ever.
func blockForever() { Gate().pass() }

/// Suspends for ever and ignores cancellation.
func waitForever() async { await Task { try? await AsyncGate().pass() }.value }

/// A request modifier that breaks one rule.
final class FlawedRequestModifier: RequestModifier {
  private let flaw: RequestModifierContract.Rule
  private let first = Locked<LoadRequest?>(nil)

  init(_ flaw: RequestModifierContract.Rule) { self.flaw = flaw }

  var cacheIdentity: CacheIdentity {
    .named(flaw == .identityIsStable && first.withLock { $0 != nil } ? "later" : "first")
  }

  func modify(_ request: LoadRequest) async throws -> LoadRequest? {
    let first = first.withLock { first in
      first = first ?? request
      return first
    }
    var request = request
    switch flaw {
    case .ends: await waitForever()
    case .keepsThePicture: return LoadRequest(url: request.url, byteLimit: request.byteLimit, key: request.key)
    case .keepsTheByteLimit: request.byteLimit = .max
    case .requestsAreApart: return first
    case .staysOnTheWeb: request.url = URL(string: "file:///etc/passwd")!
    case .fieldsAreClean: request.headers["X-Token"] = "secret\r\nX-Other: field"
    case .queryStaysWhole: request.url = URL(string: request.url.absoluteString + "?signature=1")!
    case .identityIsStable: break
    }
    return request
  }
}

/// A response modifier that breaks one rule.
final class FlawedResponseModifier: ResponseModifier {
  private let flaw: ResponseModifierContract.Rule
  private let asked = Locked(0)

  init(_ flaw: ResponseModifierContract.Rule) { self.flaw = flaw }

  var cacheIdentity: CacheIdentity { .named(flaw == .identityIsStable ? "\(asked.withLock { $0 })" : "same") }

  func modify(_ head: ResponseHead, for request: LoadRequest) async throws -> ResponseHead? {
    let number = asked.withLock { asked in
      asked += 1
      return asked
    }
    if flaw == .ends { await waitForever() }
    var head = head
    switch flaw {
    case .isRepeatable: head.headers["X-Number"] = "\(number)"
    case .statusesMakeSense: head.status = 1000
    case .lengthsMakeSense: head.expectedLength = -1
    case .fieldsAreClean: head.headers["X-Text"] = "one\nline: too many"
    case .identityIsStable, .ends: break
    }
    return head
  }
}

/// A decryptor that breaks one rule.
final class FlawedDecryptor: Decryptor {
  private let flaw: DecryptorContract.Rule
  private let base = XORDecryptor(key: 1)

  init(_ flaw: DecryptorContract.Rule) { self.flaw = flaw }

  var cacheIdentity: CacheIdentity { .named(flaw == .identityIsStable ? "\(base.count)" : "same") }

  func decrypt(_ body: ImageBytes, head: ResponseHead) async throws -> ImageBytes {
    if flaw == .ends, body.isEmpty { await waitForever() }
    if flaw == .leavesItsInputAlone {
      _ = body.withBytesInMemory { bytes in
        if !bytes.isEmpty { UnsafeMutableRawBufferPointer(mutating: bytes)[0] ^= 1 }
      }
    }
    if flaw == .sizeIsBounded, body.isEmpty { return ImageBytes(Data(count: 2 << 20)) }
    if flaw == .readsFiles, body.filePath != nil { return ImageBytes([0]) }
    if flaw == .damageIsNoPicture { return ImageBytes([UInt8](repeating: 7, count: 100)) }
    // The first nine bodies come one after another, the later ones at the same time.
    if flaw == .bodiesAreApart, base.count >= 9 { return ImageBytes([0]) }
    return flaw == .bytesAreRight ? body : try await base.decrypt(body, head: head)
  }
}

/// A cache key filter that breaks one rule.
final class FlawedCacheKeyFilter: CacheKeyFilter {
  private let flaw: CacheKeyFilterContract.Rule
  private let asked = Locked(0)

  init(_ flaw: CacheKeyFilterContract.Rule) { self.flaw = flaw }

  func original(for url: URL) -> String? {
    let number = asked.withLock { asked in
      asked += 1
      return asked
    }
    switch flaw {
    case .nameIsStable: return "\(number)"
    case .namesAreNotEmpty: return ""
    case .namesAreRight: return "wrong"
    case .picturesAreApart: return url.host ?? "none"
    case .ends: blockForever()
    }
    return nil
  }
}

/// A cache serializer that breaks one rule.
final class FlawedCacheSerializer: CacheSerializer {
  private let flaw: CacheSerializerContract.Rule
  private let asked = Locked(UInt8(0))

  init(_ flaw: CacheSerializerContract.Rule) { self.flaw = flaw }

  func serialize(_ image: Image, received: ImageBytes?, work: WorkContext) throws -> ImageBytes? {
    switch flaw {
    case .bytesAreNotEmpty: return ImageBytes([])
    case .bytesAreThePicture: return ImageBytes([1, 2, 3])
    case .leavesItsInputAlone:
      image.bitmap.withUnsafeBytes { UnsafeMutableRawBufferPointer(mutating: $0)[0] ^= 1 }
    case .cancellationIsNoFailure:
      guard (try? work.checkCancellation()) != nil else { throw ImageError(.encodeFailed, "It was given up.") }
    case .ends: blockForever()
    case .isRepeatable: break
    }
    let number = asked.withLock { asked in
      asked &+= 1
      return asked
    }
    let bytes = try ToyCoder().encode(image, as: ToyImage.format, options: EncodeOptions(), work: work)
    return ImageBytes(try bytes.withUnsafeBytes { [UInt8]($0) } + [number])
  }
}

/// An options processor that breaks one rule.
final class FlawedOptionsProcessor: OptionsProcessor {
  private let flaw: OptionsProcessorContract.Rule
  private let asked = Locked(0)

  init(_ flaw: OptionsProcessorContract.Rule) { self.flaw = flaw }

  func process(_ url: URL, options: inout ImageOptions, context: inout ImageContext) {
    let number = asked.withLock { asked in
      asked += 1
      return asked
    }
    switch flaw {
    case .isRepeatable: context[.thumbnailSize] = PixelSize(width: number, height: number)
    case .keepsUnknownSettings: context = []
    case .ends: blockForever()
    }
  }
}

/// A retry policy that breaks one rule.
struct FlawedRetryPolicy: RetryPolicy {
  let flaw: RetryPolicyContract.Rule

  func decision(after error: ImageError, attempt: Int, request: LoadRequest) -> RetryDecision {
    if flaw == .ends { blockForever() }
    let again = RetryDecision.retry(after: .seconds(flaw == .waitsMakeSense ? -1 : 1))
    if attempt > 3, flaw != .givesUpInTheEnd { return .giveUp }
    if error.code == .cancelled { return flaw == .neverRepeatsACancellation ? again : .giveUp }
    if error.code == .invalidURL { return flaw == .neverRepeatsTheHopeless ? again : .giveUp }
    if request.method == "POST" { return flaw == .repeatsOnlyWhatIsSafe ? again : .giveUp }
    return error.code == .network ? again : .giveUp
  }
}

/// An observer that breaks one rule.
final class FlawedObserver: ImageObserver {
  private let flaw: ImageObserverContract.Rule
  private let gate = Gate()

  init(_ flaw: ImageObserverContract.Rule) { self.flaw = flaw }

  /// Releases the threads that the suite has given up.
  func release() { gate.open() }

  func observe(_ event: ImageEvent) {
    switch flaw {
    case .takesEveryEvent: if case .notModified = event.kind { gate.pass() }
    // The observer works until the second load comes.
    case .isSafeForManyThreads: if event.load > 1 { gate.pass() }
    case .cancelsNothing: withUnsafeCurrentTask { $0?.cancel() }
    case .isQuick: SystemClock().block(for: .milliseconds(3))
    }
  }
}
