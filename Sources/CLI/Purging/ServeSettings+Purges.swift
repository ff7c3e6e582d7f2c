import Easel
import EaselRedis
import Glibc

extension ServeSettings {
  /// The record of purges, beside the server's disk cache and in the Redis that it shares.
  func purgeLedger(_ redis: RedisStore?) throws(ImageError) -> PurgeLedger {
    var configuration = PurgeLedger.Configuration()
    configuration.directory = cacheFolder
    configuration.lease = purgeLease
    configuration.whenCutOff = whenCutOff
    configuration.patience = sharedTime
    configuration.name = serverName
    do {
      if let redis { try configuration.share(over: redis) }
    } catch {
      throw .wrapping(error, as: .invalidURL, "Redis cannot tell of purges.")
    }
    return PurgeLedger(configuration)
  }

  /// The name of the machine and the first address, which identify the server to people.
  private var serverName: String {
    var bytes = [CChar](repeating: 0, count: 256)
    let isKnown = gethostname(&bytes, bytes.count - 1) == 0
    let name = bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    let host = isKnown ? String(decoding: name, as: UTF8.self) : "server"
    return switch listen.first {
    case .tcp(_, let port) where port > 0: "\(host):\(port)"
    case .unix(let path): "\(host):\(path)"
    default: "\(host)#\(getpid())"
    }
  }
}
