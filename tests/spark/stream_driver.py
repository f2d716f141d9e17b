"""The driver of a stream in a process of its own, to be killed: python stream_driver.py MASTER FOLDER."""

import sys

from telos.recognition.files.load import load_model
from telos.spark import open_session, recognize_stream


def main(master: str, folder: str) -> None:
    small = {
        "spark.ui.enabled": "false",
        "spark.driver.memory": "512m",
        "spark.executor.memory": "512m",
        "spark.cores.max": "2",
        "spark.sql.shuffle.partitions": "2",
    }
    session = open_session(master, name="to be killed", config=small)
    schema = session.read.parquet(f"{folder}/in").schema
    source = session.readStream.schema(schema).option("maxFilesPerTrigger", 1).parquet(f"{folder}/in")
    beliefs = recognize_stream(load_model(f"{folder}/model.yaml"), source, buckets=2)
    writer = beliefs.writeStream.format("parquet").option("path", f"{folder}/out")
    query = writer.option("checkpointLocation", f"{folder}/state").trigger(availableNow=True).start()
    query.awaitTermination()


if __name__ == "__main__":
    main(*sys.argv[1:])
