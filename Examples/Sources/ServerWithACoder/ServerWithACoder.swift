import Easel
import EaselListener

@main struct ServerWithACoder {
  static func main() async throws {
    let coders = CoderRegistry.standard.adding(FlagCoder())
    Sandbox.runIfWorker(coders: coders.coders)
    var manager = ImageManager.Configuration.server(cacheDirectory: nil)
    manager.coder = coders.sandboxingRiskyFormats(in: Sandbox())
    var service = ImageService.Configuration(manager, signer: nil)
    service.folder = try FolderLoader(folder: CommandLine.arguments[1])
    service.sources = try SourceRules(allowing: [], folder: true)
    let address = ListenerAddress.tcp(host: "127.0.0.1", port: Int(CommandLine.arguments[2]) ?? 8080)
    try await Listener(on: [address], handler: ImageService(service)).waitForEnd()
  }
}
