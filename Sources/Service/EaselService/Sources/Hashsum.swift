import CEaselService
import EaselCore
import EaselWorkers
import FoundationEssentials

/// The hash that the bytes of an original must have.
package struct Hashsum: Hashable, Sendable {
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    case md5, sha1, sha256, sha512

    /// The number of bytes of a hash.
    var byteCount: Int {
      switch self {
      case .md5: 16
      case .sha1: 20
      case .sha256: 32
      case .sha512: 64
      }
    }
  }

  package let kind: Kind
  package let bytes: [UInt8]

  func matches(_ body: ImageBytes) throws -> Bool {
    try body.unchangedData().withUnsafeBytes(kind.hash) == bytes
  }
}

extension Hashsum.Kind {
  /// The hash of a body; nil where OpenSSL is told not to compute such hashes.
  func hash(of body: UnsafeRawBufferPointer) -> [UInt8]? {
    var isComputed = false
    let hash = [UInt8](unsafeUninitializedCapacity: byteCount) { hash, written in
      isComputed = easel_hash(rawValue, body.baseAddress, body.count, hash.baseAddress, byteCount)
      written = isComputed ? byteCount : 0
    }
    return isComputed ? hash : nil
  }
}

/// The reason why an original was refused.
struct HashsumMismatch: Error {
  let kind: Hashsum.Kind
}

extension ImageError {
  /// The hash that is another one, if that is the reason of the error.
  var hashsumMismatch: HashsumMismatch? {
    for cause in causes {
      if let mismatch = cause as? HashsumMismatch ?? (cause as? ImageError)?.hashsumMismatch { return mismatch }
    }
    return nil
  }
}

/// Refuses bodies with another hash, before anything decodes or stores them.
struct HashsumCheck: Decryptor {
  let hashsum: Hashsum
  /// The manager's own decryptor.
  let next: (any Decryptor)?
  let workers: WorkerSet

  /// Keeps what was checked apart from what was not.
  var cacheIdentity: CacheIdentity {
    let own = "\(hashsum.kind.rawValue) \(hashsum.bytes.map { String($0, radix: 16) }.joined(separator: "."))"
    switch next?.cacheIdentity ?? .plain {
    case .plain: return .named(own)
    case .named(let name): return .named("\(own), \(name)")
    case .instance: return .instance
    }
  }

  func decrypt(_ body: ImageBytes, head: ResponseHead) async throws -> ImageBytes {
    let terms = JobTerms(WorkTime(.seconds(30), clock: workers.clock)) {
      ImageError(.timedOut, "The hash of the original was not computed in time.")
    }
    let isRight = try await workers.run(terms) { [hashsum] in try hashsum.matches(body) }
    guard isRight else { throw HashsumMismatch(kind: hashsum.kind) }
    return try await next?.decrypt(body, head: head) ?? body
  }
}
