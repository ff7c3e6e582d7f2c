import Easel
import EaselListener
import EaselService
import EaselSupport

/// Passes requests to the service of the present settings, which can change while others are being answered.
final class ServeHandler: RequestHandler {
  private struct State {
    var service: ImageService
    var proxies: [AddressRange]
  }

  private let state: Locked<State>

  init(_ service: ImageService, _ settings: ServeSettings) {
    state = Locked(State(service: service, proxies: settings.trustedProxies))
  }

  var service: ImageService { state.withLock { $0.service } }

  func replace(_ service: ImageService, _ settings: ServeSettings) {
    state.withLock { $0 = State(service: service, proxies: settings.trustedProxies) }
  }

  func immediateResponse(to request: ServiceRequest) -> ServiceResponse? {
    let (service, request) = addressed(request)
    return service.immediateResponse(to: request)
  }

  func response(to request: ServiceRequest) async -> ServiceResponse {
    let (service, request) = addressed(request)
    return await service.response(to: request)
  }

  /// The request with the address that a trusted proxy names.
  private func addressed(_ request: ServiceRequest) -> (ImageService, ServiceRequest) {
    let (service, proxies) = state.withLock { ($0.service, $0.proxies) }
    guard !proxies.isEmpty, let forwarded = request.headers["X-Forwarded-For"],
      // A Unix socket has no address; whoever reaches it is on this machine.
      request.clientAddress.map({ isTrusted($0, proxies) }) ?? true
    else { return (service, request) }
    // The last address that no trusted proxy has is the first that can be believed.
    let addresses = forwarded.split(separator: ",").map { String($0).trimmed }
    guard let client = addresses.last(where: { !isTrusted($0, proxies) }), AddressPolicy.IPAddress(client) != nil else {
      return (service, request)
    }
    var request = request
    request.clientAddress = client
    return (service, request)
  }

  private func isTrusted(_ address: String, _ proxies: [AddressRange]) -> Bool {
    guard let address = AddressPolicy.IPAddress(address) else { return false }
    return proxies.contains { $0.contains(address) }
  }
}
