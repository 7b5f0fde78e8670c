"""For ParaView's own Python (pvpython): opens an XDMF file by one of its readers and writes what it shows into an .npz file:
`times`, and of each time t and grid g `t_g_points`, `t_g_lines`, `t_g_body`. With a picture's name it draws the last time, too, and
counts its `colors`. `pvpython --force-offscreen-rendering paraview_places.py READER FILE.xdmf OUT.npz [PICTURE.png]`, READER as
paraview.simple calls it (XDMFReader, Xdmf3ReaderS, Xdmf3ReaderT), or `any`: the one that ParaView takes by itself."""

import sys

import numpy as np
import paraview.simple as simple
from paraview import servermanager
from paraview.vtk.util.numpy_support import vtk_to_numpy
from paraview.vtk.vtkIOImage import vtkPNGReader


def source_of(reader, path):
    if reader == "any":
        return simple.OpenDataFile(path)
    return getattr(simple, reader)(**{"FileNames" if reader == "XDMFReader" else "FileName": [path]})


def leaves(data):
    if not data.IsA("vtkCompositeDataSet"):
        return [data]
    found, iterator = [], data.NewIterator()
    iterator.InitTraversal()
    while not iterator.IsDoneWithTraversal():
        found.append(iterator.GetCurrentDataObject())
        iterator.GoToNextItem()
    return found


def picture_draw(source, time, path):
    """Lines in the colors of their bodies; returns how many colors there are more than a hundred times."""
    view = simple.CreateView("RenderView")
    view.ViewSize, view.ViewTime, view.Background = [600, 400], time, [1, 1, 1]
    view.OrientationAxesVisibility = 0
    shown = simple.Show(source, view)
    shown.LineWidth = 8
    simple.ColorBy(shown, ("CELLS", "body"))
    shown.RescaleTransferFunctionToDataRange(True)
    simple.ResetCamera(view)
    simple.SaveScreenshot(path, view)
    reader = vtkPNGReader()
    reader.SetFileName(path)
    reader.Update()
    colors = vtk_to_numpy(reader.GetOutput().GetPointData().GetScalars())
    return (np.unique(colors, axis=0, return_counts=True)[1] > 100).sum()


def main(reader, path, out, *picture):
    source = source_of(reader, path)
    source.UpdatePipelineInformation()
    times = np.array(source.TimestepValues, dtype=float).reshape(-1)
    found = {"version": simple.GetParaViewSourceVersion(), "reader": type(source).__name__, "times": times}
    for t, time in enumerate(times):
        source.UpdatePipeline(time)
        for g, grid in enumerate(leaves(servermanager.Fetch(source))):
            found[f"{t}_{g}_points"] = vtk_to_numpy(grid.GetPoints().GetData())
            found[f"{t}_{g}_lines"] = vtk_to_numpy(grid.GetCells().GetConnectivityArray()).reshape(-1, 2)
            found[f"{t}_{g}_body"] = vtk_to_numpy(grid.GetCellData().GetArray("body"))
    if picture:
        found["colors"] = picture_draw(source, times[-1], picture[0])
    np.savez(out, **found)


main(*sys.argv[1:])
