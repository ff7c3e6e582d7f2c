import Easel

extension CurlLoader.Configuration {
  /// The settings of a loader whose requests name the program and its version.
  static var program: CurlLoader.Configuration {
    var network = CurlLoader.Configuration()
    network.headers["User-Agent"] = "easel/\(Program.version)"
    return network
  }
}
